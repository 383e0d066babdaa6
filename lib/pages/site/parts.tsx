import type { ComponentChildren } from 'preact';

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
