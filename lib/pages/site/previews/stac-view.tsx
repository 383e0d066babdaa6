import type { ComponentChildren } from 'preact';
import { repositorySegment } from '../../../domain/data/open-data.ts';
import { counted } from '../format.ts';
import { parentFolder, repositoryPath } from '../links.ts';
import { pathIn } from '../markdown.ts';
import { MarkdownText } from '../plain-text.tsx';
import { NamedValues } from '../tables.tsx';
import { cellOf, cutText } from './cell-text.ts';
import { type Json, listOf, recordOf } from './json.ts';
import { type StacFile, type StacViewProps, typeOf } from './stac.ts';

const itemsShown = 200;
const textMax = 200;
const descriptionMax = 20_000;

/**
 * Returns the key of the file to which a link leads. Returns undefined for a link that leaves the repository, and for
 * any other kind of link.
 */
export function keyOfHref(href: string, { repository, key, dataProxyUrl }: StacFile): string | undefined {
  if (href === '') return undefined;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(href)) return pathIn(parentFolder(key), href);
  const { account_id, repository_id } = repository;
  const bases = [dataProxyUrl, 's3:/'].flatMap((host) =>
    [repositorySegment(repository), repository_id].map((segment) => `${host}/${account_id}/${segment}/`),
  );
  // The URL parser resolves dot segments, so the returned path cannot leave the repository.
  const url = URL.canParse(href) ? new URL(href).href : '';
  const base = bases.find((each) => url.startsWith(each));
  return base === undefined ? undefined : pathIn('', url.slice(base.length));
}

/** Shows what a STAC file describes. All of its texts and links are untrusted. */
export function StacView({ root, file }: StacViewProps) {
  const properties = recordOf(root['properties']);
  const links = listOf(root['links']).map(recordOf);
  const linksTo = (...relations: unknown[]) => links.filter(({ rel }) => relations.includes(rel));
  const description = textOf(root['description'] ?? properties['description'], descriptionMax);
  const { repository, key, dataProxyUrl, hrefOf } = file;
  const above = new Map(linksTo('root', 'parent', 'collection').map((link) => [link['href'], link]));
  const version = textOf(root['stac_version']);
  const entry = (link: Json, at: number) => (
    <li key={at}>
      <StacLink link={link} file={file} />
    </li>
  );
  return (
    <>
      <h3>{textOf(root['title'] ?? properties['title']) || textOf(root['id']) || 'STAC items'}</h3>
      {description !== '' && (
        <MarkdownText text={description} setting={{ repository, folder: parentFolder(key), dataProxyUrl, hrefOf }} />
      )}
      <NamedValues rows={[['Type', `STAC ${typeOf(root)}${version && ` ${version}`}`], ...statementsOf(root)]} />
      <Part title="Part of" items={[...above.values()]} noun="link">
        {(items) => <ul>{items.map(entry)}</ul>}
      </Part>
      <Part title="Contents" items={linksTo('child', 'item')} noun="link">
        {(items) => <ul>{items.map(entry)}</ul>}
      </Part>
      <Part title="Assets" items={Object.entries(recordOf(root['assets']))} noun="asset">
        {(items) => <Assets items={items} file={file} />}
      </Part>
      <Part title="Items" items={listOf(root['features']).map(recordOf)} noun="item">
        {(items) => <Items items={items} file={file} />}
      </Part>
      <Part title="Properties" items={Object.entries(properties)} noun="property">
        {(items) => <NamedValues rows={items.map(([name, value]) => [cutText(name, textMax), textOf(value)])} />}
      </Part>
      <Part title="Links" items={linksTo('license', 'about', 'via', 'cite-as', 'describedby')} noun="link">
        {(items) => <ul>{items.map(entry)}</ul>}
      </Part>
    </>
  );
}

interface PartProps<Item> {
  title: string;
  items: readonly Item[];
  noun: string;
  children: (items: readonly Item[]) => ComponentChildren;
}

/** Shows the first of some items under a heading. Shows nothing if there are no items. */
function Part<Item>({ title, items, noun, children }: PartProps<Item>) {
  if (items.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      {children(items.slice(0, itemsShown))}
      {items.length > itemsShown && (
        <p class="soft">
          The first {itemsShown} of {counted(items.length, noun, noun === 'property' ? 'properties' : undefined)}.
        </p>
      )}
    </>
  );
}

/**
 * Links to a file of the repository or to another website. The text shows the host of a website. Any other link is
 * shown as text.
 */
function StacLink({ link: { href, title, rel }, file, name = '' }: { link: Json; file: StacFile; name?: string }) {
  const target = typeof href === 'string' ? href : '';
  const shown = textOf(title) || name || cutText(target, textMax) || textOf(rel);
  const key = keyOfHref(target, file);
  if (key !== undefined) {
    const { hrefOf = (path) => repositoryPath(file.repository, path) } = file;
    const page = hrefOf(key);
    return page === undefined ? shown : <a href={page}>{shown}</a>;
  }
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return <>{shown}</>;
  return (
    <>
      <a href={url.href} rel="noopener nofollow ugc">
        {shown}
      </a>{' '}
      <span class="soft">({url.host})</span>
    </>
  );
}

function Assets({ items, file }: { items: readonly [string, unknown][]; file: StacFile }) {
  return (
    <Rows
      label="Assets"
      columns={['Asset', 'Type', 'Roles']}
      rows={items.map(([name, value]) => {
        const asset = recordOf(value);
        const roles = listOf(asset['roles']).map((role) => textOf(role));
        return [
          <StacLink link={asset} file={file} name={cutText(name, textMax)} />,
          textOf(asset['type']),
          cutText(roles.join(', '), textMax),
        ];
      })}
    />
  );
}

function Items({ items, file }: { items: readonly Json[]; file: StacFile }) {
  return (
    <Rows
      label="Items"
      columns={['Item', 'Time']}
      rows={items.map((item) => {
        const self = listOf(item['links'])
          .map(recordOf)
          .find(({ rel }) => rel === 'self');
        return [
          <StacLink link={{ href: self?.['href'], title: item['id'] }} file={file} />,
          timeOf(recordOf(item['properties'])),
        ];
      })}
    />
  );
}

interface RowsProps {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly ComponentChildren[])[];
}

function Rows({ label, columns, rows }: RowsProps) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label={label}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the name and value of each statement that a catalog, collection, or item makes about itself. */
function statementsOf(root: Json): [name: string, value: string][] {
  const extent = recordOf(root['extent']);
  const properties = recordOf(root['properties']);
  const boxes = listOf(recordOf(extent['spatial'])['bbox']);
  const [interval] = listOf(recordOf(extent['temporal'])['interval']);
  const [start, end] = listOf(interval);
  const providers = listOf(root['providers'] ?? properties['providers']).map((value) => {
    const { name, roles } = recordOf(value);
    const shown = listOf(roles).map((role) => textOf(role));
    return `${textOf(name)}${shown.length > 0 ? ` (${shown.join(', ')})` : ''}`;
  });
  return [
    ['License', textOf(root['license'] ?? properties['license'])],
    ['Time', interval === undefined ? timeOf(properties) : `${textOf(start) || '…'} – ${textOf(end) || 'now'}`],
    [
      'West, south, east, north',
      listOf(boxes[0] ?? root['bbox'])
        .map((value) => textOf(value))
        .slice(0, 6)
        .join(', '),
    ],
    ['Providers', cutText(providers.join(', '), 5 * textMax)],
    [
      'Keywords',
      cutText(
        listOf(root['keywords'])
          .map((value) => textOf(value))
          .join(', '),
        5 * textMax,
      ),
    ],
    ['Collection', textOf(root['collection'])],
  ];
}

function timeOf(properties: Json): string {
  const [start, end] = [textOf(properties['start_datetime']), textOf(properties['end_datetime'])];
  return textOf(properties['datetime']) || (start && `${start} – ${end}`);
}

function textOf(value: unknown, charactersMax = textMax): string {
  return typeof value === 'string' ? cutText(value, charactersMax) : (cellOf(value) ?? '');
}
