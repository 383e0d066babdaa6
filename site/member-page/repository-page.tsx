import type { RepositoryVersion } from '../../lib/domain/data/repository-versions.ts';
import { AbsentBody, absentTitle } from '../../lib/pages/site/absent.tsx';
import { FileBody, fileTitle } from '../../lib/pages/site/file.tsx';
import { consoleRepositoryPath, repositoryPath, type ShownPath } from '../../lib/pages/site/links.ts';
import { RepositoryBody, type RepositoryView, repositoryTitle } from '../../lib/pages/site/repository.tsx';
import { Crumbs, type ShownRepository } from '../../lib/pages/site/repository-tile.tsx';
import { signedRecipesFor as recipesFor } from '../../lib/pages/site/signed-recipes.ts';
import type { DataSource } from '../data/data-source.ts';
import { readContents } from '../data-pages/contents.ts';
import type { DataPage } from '../data-pages/data-pages.tsx';

interface MemberContent
  extends Pick<RepositoryView, 'account' | 'site' | 'repository' | 'versions' | 'inventory' | 'dataProxyUrl'> {
  /** Finds a version that is not in the list of the newest versions. */
  findVersion: (name: string) => Promise<RepositoryVersion | undefined>;
}

/** Reads and renders a page of a repository, with the components of the public pages. */
export async function readRepositoryPage(
  content: MemberContent,
  shown: ShownPath,
  source: DataSource,
): Promise<DataPage> {
  const { findVersion, ...known } = content;
  const { version, path } = shown;
  const shownVersion =
    version === undefined
      ? undefined
      : (known.versions.find(({ name }) => name === version) ?? (await findVersion(version)));
  if (version !== undefined && shownVersion?.state !== 'ready') return absentVersion(known.repository, version);
  const repository = { ...known.repository, shownVersion };
  const contents = await readContents(source, shown);
  if (contents.file !== undefined) {
    const view = { ...known, repository, recipesFor, ...contents.file };
    return { title: fileTitle(view), body: <FileBody {...view} /> };
  }
  if (contents.isMissing) {
    return { title: absentTitle(path), body: <AbsentBody repository={repository} path={path} /> };
  }
  const view = { ...known, repository, recipesFor, ...contents.shown };
  return { title: repositoryTitle(view), body: <RepositoryBody {...view} /> };
}

function absentVersion(repository: ShownRepository, name: string): DataPage {
  const title = 'Version not found';
  const body = (
    <>
      <Crumbs repository={repository} />
      <section class="hero">
        <h1>{title}</h1>
        <p>The repository has no version {name} that can be read. It may be withdrawn.</p>
        <p class="actions">
          <a class="button" href={repositoryPath(repository)}>
            Go to the newest state
          </a>
          <a href={`${consoleRepositoryPath(repository)}/versions`}>See all versions</a>
        </p>
      </section>
    </>
  );
  return { title, body };
}
