import { useState } from 'preact/hooks';
import { counted, firstOf } from '../../../lib/pages/site/format.ts';
import type { LinkedFile, LinkedFiles } from '../preview.ts';

export interface PagesOfFiles {
  /** Returns the URL of the page of a file below the folder of the opened file. */
  hrefOf: (path: string) => string | undefined;
  /** True if the preview is in an iframe. Its links then open in the page around it. */
  isFramed: boolean;
}

export interface LinkedProps {
  linked: LinkedFiles;
  /** Reads the links of a file. Throws an error whose message the user sees. */
  read: (path: string) => Promise<LinkedFiles>;
  pages: PagesOfFiles | undefined;
}

const depthMax = 12;

/** Shows the linked files of a STAC catalog as a tree. Each level is read when the user opens it. */
export function LinkedView(props: LinkedProps) {
  return (
    <section class="linked" aria-label="Contents">
      <Level {...props} above={[]} />
    </section>
  );
}

interface Position {
  /** The paths of the opened files around this one, outermost first. */
  above: readonly string[];
}

function Level({ linked: { files, count }, ...props }: LinkedProps & Position) {
  if (count === 0) return <p class="soft">It contains no files.</p>;
  return (
    <>
      <ul>
        {files.map((file, at) => (
          <Entry key={at} file={file} {...props} />
        ))}
      </ul>
      {files.length < count && (
        <p class="soft">
          {firstOf(files.length)} of {counted(count, 'file')}.
        </p>
      )}
    </>
  );
}

function Entry({ file, above, ...props }: Omit<LinkedProps, 'linked'> & Position & { file: LinkedFile }) {
  const { read, pages } = props;
  const { path, title, isList } = file;
  const [isOpen, setIsOpen] = useState(false);
  const [content, setContent] = useState<LinkedFiles | string>();
  const href = path === undefined ? undefined : pages?.hrefOf(path);
  const target = pages?.isFramed ? '_top' : undefined;
  if (path === undefined || !isList || above.includes(path) || above.length >= depthMax) {
    return (
      <li>
        {href === undefined ? (
          <span>{title}</span>
        ) : (
          <a href={href} target={target}>
            {title}
          </a>
        )}
        {path !== undefined && above.includes(path) && <p class="soft">This file contains itself.</p>}
      </li>
    );
  }
  const toggle = async () => {
    setIsOpen(!isOpen);
    // A failed read is repeated when the user opens the level again.
    if (isOpen || typeof content === 'object') return;
    setContent(undefined);
    setContent(await read(path).catch((error: Error) => error.message));
  };
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => void toggle()}>
        {title}
      </button>
      {href !== undefined && (
        <a href={href} target={target} aria-label={`Open ${title}`}>
          Open
        </a>
      )}
      {isOpen && (
        <div aria-live="polite">
          {content === undefined && <p class="soft">Loading …</p>}
          {typeof content === 'string' && <p role="alert">{content}</p>}
          {typeof content === 'object' && <Level {...props} linked={content} above={[...above, path]} />}
        </div>
      )}
    </li>
  );
}
