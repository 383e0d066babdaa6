import type { ComponentChildren } from 'preact';
import { limits } from '../../../domain/limits.ts';

interface FoldedProps {
  label?: string;
  /** The number of bytes that the collapsible content loads. Up to the limit, the content is open at first. */
  bytes?: number;
  children: ComponentChildren;
}

/** Renders collapsible content. The browser loads images and frames in it only while it is open. */
export function Folded({ label, bytes, children }: FoldedProps) {
  const isOpen = bytes !== undefined && bytes <= limits.openPreviewBytesMax;
  return (
    <details class="preview" open={isOpen}>
      <summary>{label ?? (isOpen ? 'Preview' : 'Show the preview')}</summary>
      {children}
    </details>
  );
}
