import type { ComponentChildren } from 'preact';
import { problems } from '../../operations/problems.ts';
import { badge, type DescribedOperation } from './operation.tsx';

export interface NavigationGroup {
  title: string;
  /**
   * The ID of the section to which the first entry of the group links. Absent if the group has no section of its own.
   */
  id?: string;
  isOpen: boolean;
  entries: readonly ComponentChildren[];
}

/**
 * Renders the table of contents. On a phone, it is a popover. Its search field is hidden when the browser runs no
 * scripts.
 */
export function navigation(base: string, groups: readonly NavigationGroup[]): ComponentChildren {
  return (
    <>
      <div class="bar">
        <button type="button" popovertarget="contents">
          Contents
        </button>
      </div>
      <nav id="contents" popover aria-label="Contents" data-base={base}>
        <div class="find" hidden>
          <input
            type="search"
            id="find"
            placeholder="Name, path, or code"
            aria-label="Find an operation, a path, a code, or a schema"
            autocomplete="off"
            spellcheck={false}
          />
          <kbd>/</kbd>
        </div>
        <p class="nothing" role="status" hidden>
          No matches.
        </p>
        {groups.map(group)}
      </nav>
    </>
  );
}

function group({ title, id, isOpen, entries }: NavigationGroup): ComponentChildren {
  return (
    <details open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      <ul>
        {id !== undefined && entry(id, 'Overview', title)}
        {entries}
      </ul>
    </details>
  );
}

export function operationEntry({
  method,
  url,
  operation: { operationId, summary },
}: DescribedOperation): ComponentChildren {
  const words = `${operationId} ${method.toUpperCase()} ${url} ${summary}`;
  return (
    <li data-find={words} data-path={url}>
      <a href={`#${operationId}`}>
        {badge(method)} <span>{summary}</span>
      </a>
    </li>
  );
}

export function entry(id: string, title: string, words: string = title): ComponentChildren {
  return (
    <li data-find={words}>
      <a href={`#${id}`}>{title}</a>
    </li>
  );
}

export function problemEntries(): ComponentChildren[] {
  return Object.entries(problems).map(([code, { status, title }]) =>
    entry(`problem-${code}`, code, `${code} ${code.replaceAll('_', ' ')} ${status} ${title}`),
  );
}
