import type { ComponentProps } from 'preact';
import { loadChunk } from '../chunks.ts';
import { Loaded, useLoading } from '../components/loaded.tsx';
import type { MarkdownView } from './markdown-view.tsx';

/** Shows rendered Markdown. Loads the renderer on demand, because few views need it. */
export function Rendered(props: ComponentProps<typeof MarkdownView>) {
  const loading = useLoading(() => loadChunk(() => import('./markdown-view.tsx')), []);
  return <Loaded loading={loading}>{(chunk) => chunk && <chunk.MarkdownView {...props} />}</Loaded>;
}
