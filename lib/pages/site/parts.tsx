import type { ComponentChildren } from 'preact';
import type { RepositoryPath } from '../../domain/data/open-data.ts';
import { repositoryPath } from './links.ts';

/** Renders the heading of a page. A long heading is smaller. */
export function Title({ children }: { children: string }) {
  return <h1 class={children.length > 60 ? 'long' : undefined}>{children}</h1>;
}

export function Card({ title, children }: { title?: string; children?: ComponentChildren }) {
  return (
    <section class="card">
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/**
 * Links to the page that contains the link. The page script turns the link into a button that shares or copies the URL.
 */
export function ShareLink({ repository, path }: { repository: RepositoryPath; path?: string }) {
  return (
    <span>
      <a href={repositoryPath(repository, path)} data-share>
        Link to this page
      </a>
    </span>
  );
}
