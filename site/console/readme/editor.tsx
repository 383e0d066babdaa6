import { useEffect, useMemo, useState } from 'preact/hooks';
import { limits } from '../../../lib/domain/limits.ts';
import { formatCount } from '../../../lib/pages/site/format.ts';
import { repositoryPath } from '../../../lib/pages/site/links.ts';
import { api, dataOf } from '../api/client.ts';
import { faultAt } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { Field, Form } from '../components/form.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { goTo } from '../router.ts';
import type { RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';
import { mayWrite, user } from '../signed-in-user.ts';
import { type FoundReadme, newReadmeKey, readReadme, type StoredReadme, writeReadme } from './readme-data.ts';
import { Rendered } from './rendered.tsx';
import { readmeTemplate } from './template.ts';

/** Edits the README of a repository. Without a README, begins with a template. */
export function View({ repository: scope }: RepositoryViewProps) {
  const { value } = user;
  // If not all memberships are loaded, the user's role for this repository may be on a later page. So assume that the
  // user may write.
  const isWriter = value.kind === 'ready' && (value.value.next !== undefined || mayWrite(value.value, scope));
  if (isWriter) return <LoadedEditor scope={scope} />;
  return (
    <p class="notice">
      You can read this repository, but not change it. A maintainer of the repository can make you a writer.
    </p>
  );
}

function LoadedEditor({ scope }: Pick<EditorProps, 'scope'>) {
  const { account_id, repository_id, repository } = scope;
  const location = { account_id, repository_id };
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const loading = useLoading(async () => {
    const inventory = dataOf(
      api.GET('/repositories/{account_id}/{repository_id}/inventory', { params: { path: location } }),
    ).catch(() => undefined);
    const found = await readReadme(location, controller.signal);
    const page = globalThis.location.origin + repositoryPath(location);
    return { found, template: readmeTemplate({ repository, inventory: await inventory, top: found.top, page }) };
  }, [account_id, repository_id]);
  return (
    <Loaded loading={loading}>
      {({ found, template }) =>
        found.readme?.isCut ? (
          <p>This README is too large for the editor. Download it, and upload the changed file.</p>
        ) : (
          <Editor scope={scope} found={found} template={template} signal={controller.signal} />
        )
      }
    </Loaded>
  );
}

interface EditorProps {
  scope: RepositoryScope;
  found: FoundReadme;
  template: string;
  signal: AbortSignal;
}

function Editor({ scope: { account_id, repository_id, repository }, found, template, signal }: EditorProps) {
  const location = { account_id, repository_id };
  const [base, setBase] = useState(found.readme);
  const [text, setText] = useState(found.readme?.text ?? template);
  const [isPreview, setPreview] = useState(false);
  /** The README that another user has stored in the meantime. Null if that user deleted it. */
  const [theirs, setTheirs] = useState<StoredReadme | null>();
  const overview = `/repositories/${account_id}/${repository_id}`;
  const save = async () => {
    if (text.length > limits.markdownCharactersMax) {
      const most = formatCount(limits.markdownCharactersMax);
      throw faultAt('readme', `The text has ${formatCount(text.length)} characters. Shorten it to ${most}.`);
    }
    const key = base?.key ?? newReadmeKey;
    if (await writeReadme(location, { key, text, etag: base?.etag })) {
      // Leave the view only after the form has marked its input as saved.
      setTimeout(() => goTo(overview));
      return true;
    }
    const { readme } = await readReadme(location, signal);
    setTheirs(readme ?? null);
    setBase(readme);
    setPreview(false);
    return false;
  };
  return (
    <>
      {base === undefined && theirs === undefined && (
        <p class="soft">This repository has no README yet. Change this template, and save it.</p>
      )}
      {theirs !== undefined && (
        <Conflict
          theirs={theirs}
          onTake={() => {
            setText(theirs?.text ?? '');
            setTheirs(undefined);
          }}
        />
      )}
      <div class="actions" role="group" aria-label="Editor">
        <Button kind="small" label="Write" aria-pressed={!isPreview} onClick={() => setPreview(false)} />
        <Button kind="small" label="Preview" aria-pressed={isPreview} onClick={() => setPreview(true)} />
      </div>
      <div class="readme-editor">
        {isPreview && (
          <section class="card" aria-label="Preview">
            <Rendered
              text={text}
              repository={location}
              source={found.source}
              isOpen={repository.data_mode === 'open' && !repository.disabled}
            />
          </section>
        )}
        <Form
          onSubmit={save}
          submitLabel={theirs === undefined ? 'Save README' : 'Save my text'}
          onCancel={() => goTo(overview)}
        >
          <div hidden={isPreview}>
            <Field
              name="readme"
              label={base?.key ?? newReadmeKey}
              kind="long"
              value={text}
              onChange={setText}
              hint="Markdown. HTML is shown as text."
            />
          </div>
        </Form>
      </div>
    </>
  );
}

/** Shows the text that another user has stored. The user's own text stays in the editor below. */
function Conflict({ theirs, onTake }: { theirs: StoredReadme | null; onTake: () => void }) {
  return (
    <section class="notice problem" role="alert">
      <p>
        {theirs === null
          ? 'Another user deleted the README in the meantime.'
          : 'Another user changed the README in the meantime. Your text is still below. Copy what you need from theirs, or take all of it. Nothing is saved yet.'}
      </p>
      {theirs !== null && (
        <>
          <pre class="theirs" tabindex={0}>
            {theirs.text}
          </pre>
          <Button label="Take their text" onClick={onTake} />
        </>
      )}
    </section>
  );
}
