import type { ComponentChildren } from 'preact';

const marks = /`([^`]+)`|\*\*([^*]{1,200})\*\*|\[([^[\]]{1,100})\]\((#?[\w.-]{1,60})\)/g;

/**
 * Renders a text with three marks: backticks enclose code, two asterisks enclose strong text, and `[words](#target)` is
 * a link.
 */
export function Prose({ text }: { text: string }) {
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, strong, words = '', target = ''] = match;
    pieces.push(text.slice(end, match.index));
    if (code !== undefined) pieces.push(<code>{code}</code>);
    else if (strong !== undefined) pieces.push(<strong>{strong}</strong>);
    else {
      pieces.push(
        <a href={target}>
          <Prose text={words} />
        </a>,
      );
    }
    end = match.index + whole.length;
  }
  return <>{[...pieces, text.slice(end)]}</>;
}

/** Renders paragraphs. Empty lines in the text separate them. */
export function Paragraphs({ text }: { text: string }) {
  return (
    <>
      {text.split('\n\n').map((paragraph) => (
        <p>
          <Prose text={paragraph} />
        </p>
      ))}
    </>
  );
}

export interface Row {
  id?: string;
  name: ComponentChildren;
  content: ComponentChildren;
}

/** Renders a list of names, such as fields, each with its description. */
export function Rows({ rows, isNarrow = false }: { rows: readonly Row[]; isNarrow?: boolean }) {
  return (
    <table class={isNarrow ? 'fields narrow' : 'fields'}>
      <tbody>
        {rows.map(({ id, name, content }) => (
          <tr id={id}>
            <th scope="row">{name}</th>
            <td>{content}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Renders indented JSON. Keys, strings, and other values get different CSS classes. */
export function JsonCode({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:\\.|[^"\\])*")(:?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g)) {
    const [token, quoted, colon] = match;
    pieces.push(text.slice(end, match.index));
    if (quoted === undefined) pieces.push(<span class="v">{token}</span>);
    else if (colon === ':') pieces.push(<span class="k">{quoted}</span>, ':');
    else pieces.push(<span class="s">{quoted}</span>);
    end = match.index + token.length;
  }
  return <>{[...pieces, text.slice(end)]}</>;
}

export function CodeBlock({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <figure class="code">
      <figcaption>{title}</figcaption>
      <ScrolledCode>{children}</ScrolledCode>
    </figure>
  );
}

/** Renders code whose long lines scroll sideways. The tab index lets users scroll with the keyboard. */
export function ScrolledCode({ children }: { children: ComponentChildren }) {
  return (
    <pre tabindex={0}>
      <code>{children}</code>
    </pre>
  );
}
