import type { ComponentChildren } from 'preact';

/** Renders a sentence in which backticks mark code, as in the descriptions of the OpenAPI document. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code>{piece}</code> : piece));
}

/** Renders indented JSON with a class for keys, strings, and other values. */
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
  return [...pieces, text.slice(end)];
}

export function CodeBlock({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <figure class="code">
      <figcaption>{title}</figcaption>
      {/* Long lines scroll sideways. The tab index makes this possible with the keyboard. */}
      <pre tabindex={0}>
        <code>{children}</code>
      </pre>
    </figure>
  );
}
