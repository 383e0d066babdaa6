import type { VNode } from 'preact';
import { limits } from '../../domain/limits.ts';
import { utf8Bytes } from '../../domain/utf8-bytes.ts';
import { RenderMarkup } from '../render-markup.ts';
import { ContentElements } from './file-content.tsx';
import { shownName } from './format.ts';
import { type Heading, type MarkdownSetting, renderMarkdownWithHeadings } from './markdown.ts';

const lineLengthMax = 500;

/** Shows a text unchanged. A text that is too long to render is cut at the limit. */
export function PlainText({ text }: { text: string }) {
  const shown = beginningOf(text);
  // If a line is very long, wrap all lines. A file without line breaks would be shown as one endless line.
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

interface MarkdownTextProps {
  text: string;
  setting: MarkdownSetting;
  /** True to show the headings of the text as a table of contents. */
  hasContents?: boolean;
}

/** Shows Markdown. If the rendered Markdown exceeds a limit, shows its source text instead. */
export function MarkdownText({ text, setting, hasContents = false }: MarkdownTextProps) {
  return (
    <ContentElements.Consumer>
      {(elements) => {
        const rendered = renderMarkdownWithHeadings(text, { ...setting, needsCredentials: elements !== undefined });
        if (rendered === undefined) return <Unformatted text={text} />;
        const { markup, headings } = rendered;
        return (
          <>
            {hasContents && <Contents headings={headings} />}
            <div class="prose" ref={elements?.loadImages ?? null} dangerouslySetInnerHTML={{ __html: markup }} />
          </>
        );
      }}
    </ContentElements.Consumer>
  );
}

const contentsMin = 3;
const contentsMax = 40;

/** Links to the headings of a text. Shows at most three levels of headings. */
function Contents({ headings }: { headings: readonly Heading[] }) {
  const top = Math.min(...headings.map(({ level }) => level));
  const shown = headings.filter(({ level, text }) => level < top + 3 && text.trim() !== '').slice(0, contentsMax);
  if (shown.length < contentsMin) return null;
  return (
    <details class="contents">
      <summary>Contents</summary>
      <nav aria-label="Contents of the README">
        <ul>
          {shown.map(({ id, text, level }) => (
            <li key={id} class={`level-${level - top}`}>
              <a href={`#${encodeURIComponent(id)}`}>{shownName(text)}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

/**
 * Renders a part of a page. If its HTML exceeds the limit for rendered text, shows the part as plain text instead. The
 * limit protects the responses of the service, so it does not apply in a browser.
 */
export function withinBound(part: VNode, text: () => string): VNode {
  return (
    <RenderMarkup.Consumer>
      {(render) => {
        if (render === undefined) return part;
        const markup = render(part);
        if (utf8Bytes(markup) > limits.renderedTextBytesMax) return <Unformatted text={text()} />;
        return <div dangerouslySetInnerHTML={{ __html: markup }} />;
      }}
    </RenderMarkup.Consumer>
  );
}

function Unformatted({ text }: { text: string }) {
  return (
    <>
      <p class="notice">This text is too large for formatting. It is shown as plain text.</p>
      <PlainText text={text} />
    </>
  );
}

/** Returns the longest beginning of a text whose escaped form stays within the limit for rendered text. */
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
