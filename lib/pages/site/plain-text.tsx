import type { VNode } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { limits } from '../../domain/limits.ts';
import { type MarkdownSetting, renderMarkdown } from './markdown.ts';

const lineLengthMax = 500;

/** Shows a text unchanged, up to the bound of rendered text. */
export function PlainText({ text }: { text: string }) {
  const shown = beginningOf(text);
  // A file without line breaks would be one endless line.
  const isWrapped = shown.split('\n').some((line) => line.length > lineLengthMax);
  return (
    <>
      <div class="scroll" tabindex={0}>
        <pre class={isWrapped ? 'wrapped' : undefined}>
          <code>{shown}</code>
        </pre>
      </div>
      {shown.length < text.length && <p class="soft">The text is longer. Download the file to read all of it.</p>}
    </>
  );
}

/** Shows Markdown. Falls back to its source text when the rendered Markdown exceeds a bound. */
export function MarkdownText({ text, setting }: { text: string; setting: MarkdownSetting }) {
  const markup = renderMarkdown(text, setting);
  if (markup === undefined) return <Unformatted text={text} />;
  return <div class="prose" dangerouslySetInnerHTML={{ __html: markup }} />;
}

/** Renders a part of a page by itself. Beyond the bound of rendered text, shows the part as plain text. */
export function withinBound(part: VNode, text: () => string): VNode {
  const markup = renderToStaticMarkup(part);
  if (Buffer.byteLength(markup) > limits.renderedTextBytesMax) return <Unformatted text={text()} />;
  return <div dangerouslySetInnerHTML={{ __html: markup }} />;
}

function Unformatted({ text }: { text: string }) {
  return (
    <>
      <p class="notice">This text is too large for formatting. It is shown as plain text.</p>
      <PlainText text={text} />
    </>
  );
}

/** Returns the longest beginning of a text that stays within the bound after escaping. */
function beginningOf(text: string): string {
  let left = limits.renderedTextBytesMax - markupAroundBytes;
  for (let index = 0; index < text.length; index += 1) {
    left -= bytesOfCharacter[text[index] ?? ''] ?? (text.charCodeAt(index) < 0x80 ? 1 : 3);
    if (left < 0) return text.slice(0, index);
  }
  return text;
}

const markupAroundBytes = 1000;
const bytesOfCharacter: Readonly<Record<string, number>> = { '"': 6, '&': 5, '<': 4, '>': 4 };
