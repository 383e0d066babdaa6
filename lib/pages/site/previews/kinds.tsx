import type { ComponentChildren } from 'preact';
import type { FileMetadata, RepositoryPath } from '../../../domain/data/open-data.ts';
import { limits } from '../../../domain/limits.ts';
import { FileDocument, FileImage } from '../file-content.tsx';
import { counted, formatBytes } from '../format.ts';
import { parentFolder } from '../links.ts';
import type { MarkdownSetting } from '../markdown.ts';
import { MarkdownText, PlainText, withinBound } from '../plain-text.tsx';
import { DataTable } from '../tables.tsx';
import { isNumberColumn, readRows, separatorOf } from './csv.ts';
import { Folded } from './folded.tsx';
import { hasPreview, readStac, StacViewer } from './stac.ts';
import { readZarrMetadata, ZarrTables } from './zarr.tsx';

export interface PreviewedFile {
  repository: RepositoryPath;
  key: string;
  metadata: FileMetadata;
  /** The URL of the file's content on the data host. */
  url: string;
  dataProxyUrl: string;
  /** The first bytes of the file, if the server renders the preview. */
  beginning: Uint8Array | undefined;
  hrefOf?: MarkdownSetting['hrefOf'];
}

/** How the site previews one kind of file. The end of the file's name selects the kind. */
export interface PreviewKind {
  names: RegExp;
  /**
   * The number of bytes that the server reads of the file. 0 if the browser loads the file from the data host instead.
   */
  bytesRead: number;
  /** The size of the largest file that has a preview. */
  bytesMax?: number;
  /** Returns true if `show` renders the whole file. A preview by a script would then show nothing more. */
  isWhole?(file: Pick<PreviewedFile, 'key' | 'metadata' | 'beginning'>): boolean;
  /**
   * True if readers need the server's preview in addition to a preview by a script, because the two show different
   * things.
   */
  isBeside?: boolean;
  show(file: PreviewedFile): ComponentChildren;
}

const readBytes = 64 * 1024;
const rowsShown = 50;
const columnsShown = 40;
const jsonDepthMax = 100;

export const previewKinds: readonly PreviewKind[] = [
  { names: /\.(md|markdown)$/i, bytesRead: 256 * 1024, show: showMarkdown },
  { names: /\.csv$/i, bytesRead: readBytes, show: showRows, isWhole: (file) => isWholeTable(file) },
  {
    names: /\.(tsv|tab)$/i,
    bytesRead: readBytes,
    show: (file) => showRows(file, '\t'),
    isWhole: (file) => isWholeTable(file, '\t'),
  },
  {
    names: /(^|\/)(\.z(array|group|metadata|attrs)|zarr\.json)$/i,
    bytesRead: 512 * 1024,
    show: showZarr,
    isBeside: true,
  },
  {
    names: /\.json$/i,
    bytesRead: 256 * 1024,
    show: showStac,
    isWhole: (file) => !hasStacPreview(file),
    isBeside: true,
  },
  { names: /\.(geojson|geojsonl|geojsons|jsonl|ndjson)$/i, bytesRead: readBytes, show: showJson },
  {
    names:
      /\.(txt|log|yaml|yml|toml|ini|xml|html?|svgx?|py|r|js|ts|sql|sh|c|h|cpp|java|tex|bib|cff|prj|vrt)$|(^|\/)(license|citation|readme|changelog|authors)$/i,
    bytesRead: readBytes,
    show: showText,
  },
  { names: /\.(png|jpe?g|gif|webp|avif)$/i, bytesRead: 0, bytesMax: 50e6, show: showImage },
  { names: /\.pdf$/i, bytesRead: 0, bytesMax: 200e6, show: showPdf },
];

export function previewKindOf(key: string, bytes: number): PreviewKind | undefined {
  return previewKinds.find(({ names, bytesMax = Number.POSITIVE_INFINITY }) => names.test(key) && bytes <= bytesMax);
}

function showMarkdown(file: PreviewedFile) {
  const { repository, key, dataProxyUrl, hrefOf } = file;
  return (
    <>
      <MarkdownText text={textOf(file)} setting={{ repository, folder: parentFolder(key), dataProxyUrl, hrefOf }} />
      <Cut file={file} />
    </>
  );
}

function showText(file: PreviewedFile) {
  return (
    <>
      <PlainText text={textOf(file)} />
      <Cut file={file} />
    </>
  );
}

function showJson(file: PreviewedFile) {
  const text = textOf(file);
  if (isCut(file) || growsIndented(text)) return showText(file);
  try {
    const indented = JSON.stringify(JSON.parse(text), null, 2);
    return <PlainText text={indented.slice(0, 2 * readBytes)} />;
  } catch {
    return showText(file);
  }
}

/**
 * Returns true when the indentation of pretty-printed JSON alone would exceed the limit for rendered text. A deeply
 * nested text has very long indentation.
 */
function growsIndented(text: string): boolean {
  let depth = 0;
  let indentation = 0;
  for (const [mark] of text.matchAll(/[[\]{},]/g)) {
    if (mark !== ',') depth += mark === '[' || mark === '{' ? 1 : -1;
    indentation += 2 * depth;
    if (depth > jsonDepthMax || indentation > limits.renderedTextBytesMax) return true;
  }
  return false;
}

/** Shows what a STAC file describes, and other JSON as text. */
function showStac(file: PreviewedFile) {
  const root = isCut(file) ? undefined : readStac(textOf(file));
  const beginning = file.beginning?.subarray(0, readBytes);
  const text = showJson({ ...file, beginning });
  return (
    <StacViewer.Consumer>
      {(View) => {
        if (root === undefined || View === undefined) return text;
        const shown = (
          <>
            <View root={root} file={file} />
            <Folded label="Show the text of the file">{text}</Folded>
          </>
        );
        return withinBound(shown, () => textOf(file));
      }}
    </StacViewer.Consumer>
  );
}

/**
 * Returns true for a STAC file with a map or with linked files. The first bytes of a large file do not show whether it
 * has them.
 */
function hasStacPreview(file: Pick<PreviewedFile, 'beginning' | 'metadata'>): boolean {
  const text = textOf(file);
  if (isCut(file)) return text.includes('"stac_version"');
  const root = readStac(text);
  return root !== undefined && hasPreview(root);
}

function showZarr(file: PreviewedFile) {
  const metadata = isCut(file) ? undefined : readZarrMetadata(file.key.split('/').at(-1) ?? '', textOf(file));
  return metadata === undefined ? showJson(file) : withinBound(<ZarrTables metadata={metadata} />, () => textOf(file));
}

/** Returns the separator of a `.csv` file. Returns undefined if the server has not read its complete first line. */
export function separatorOfFile(file: Pick<PreviewedFile, 'key' | 'metadata' | 'beginning'>): string | undefined {
  if (!/\.csv$/i.test(file.key) || file.beginning === undefined) return undefined;
  const lines = wholeLinesOf(file);
  return lines === '' && isCut(file) ? undefined : separatorOf(lines);
}

/**
 * Returns the complete lines of the bytes that were read. Leaves out the last line if the file continues, because that
 * line may be cut.
 */
function wholeLinesOf(file: Pick<PreviewedFile, 'metadata' | 'beginning'>): string {
  const text = textOf(file);
  return isCut(file) ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
}

function isWholeTable(file: Pick<PreviewedFile, 'metadata' | 'beginning'>, separator = separatorOf(textOf(file))) {
  const rows = readRows(textOf(file), separator, rowsShown + 2);
  return !isCut(file) && rows.length <= rowsShown + 1 && rows.every(({ length }) => length <= columnsShown);
}

function showRows(file: PreviewedFile, separator = separatorOf(wholeLinesOf(file))) {
  const text = wholeLinesOf(file);
  const [header = [], ...rows] = readRows(text, separator, rowsShown + 1);
  const shown = {
    columns: header.slice(0, columnsShown).map((name, at) => ({ name, isNumber: isNumberColumn(rows, at) })),
    rows: rows.map((row) => row.slice(0, columnsShown).map((value) => value.slice(0, 500))),
  };
  const isPart = isCut(file) || rows.length === rowsShown;
  const table = (
    <>
      <DataTable table={shown} label="Preview" />
      <p class="soft">
        {isPart
          ? `The first ${rows.length === 1 ? 'row' : counted(rows.length, 'row')}.`
          : `${counted(rows.length, 'row')}.`}
        {header.length > columnsShown && ` The first ${columnsShown} of ${header.length} columns.`}
      </p>
    </>
  );
  return withinBound(table, () => text);
}

function showImage({ url, key, metadata }: PreviewedFile) {
  const image = <FileImage fileKey={key} url={url} bytes={metadata.bytes} />;
  return metadata.bytes < limits.openPreviewBytesMax ? image : <Folded>{image}</Folded>;
}

function showPdf({ url, key, metadata }: PreviewedFile) {
  return (
    <Folded bytes={metadata.bytes}>
      <FileDocument fileKey={key} url={url} />
    </Folded>
  );
}

function Cut({ file }: { file: PreviewedFile }) {
  if (!isCut(file)) return null;
  const [shown, whole] = [file.beginning?.byteLength ?? 0, file.metadata.bytes].map(formatBytes);
  return (
    <p class="soft">
      The first {shown} of {whole}.
    </p>
  );
}

function isCut({ beginning, metadata }: Pick<PreviewedFile, 'beginning' | 'metadata'>): boolean {
  return (beginning?.byteLength ?? 0) < metadata.bytes;
}

function textOf({ beginning }: Pick<PreviewedFile, 'beginning'>): string {
  return new TextDecoder().decode(beginning).replace(/^\ufeff/, '');
}
