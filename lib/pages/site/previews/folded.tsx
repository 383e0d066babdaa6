import type { ComponentChildren } from 'preact';

/** Renders collapsed content. The browser loads images and frames in it only when the reader opens it. */
export function Folded({ label = 'Show the preview', children }: { label?: string; children: ComponentChildren }) {
  return (
    <details class="preview">
      <summary>{label}</summary>
      {children}
    </details>
  );
}
