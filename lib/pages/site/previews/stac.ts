import { type ComponentType, createContext } from 'preact';
import type { RepositoryPath } from '../../../domain/data/open-data.ts';
import { type Json, listOf, parseRecord, recordOf } from './json.ts';
import { linksBelow } from './stac-links.ts';

const types = { Catalog: 'catalog', Collection: 'collection', Feature: 'item', FeatureCollection: 'item collection' };

/** Parses a STAC catalog, collection, item, or item collection. Returns undefined for other content. */
export function readStac(text: string): Json | undefined {
  const root = parseRecord(text);
  if (root === undefined) return undefined;
  const [first] = listOf(root['features']);
  const version = root['stac_version'] ?? recordOf(first)['stac_version'];
  return typeof version === 'string' && typeOf(root) !== undefined ? root : undefined;
}

export function typeOf({ type }: Json): string | undefined {
  return typeof type === 'string' && Object.hasOwn(types, type) ? types[type as keyof typeof types] : undefined;
}

/**
 * Returns true if a script can show more of the STAC file: a map of the geometry or the extent, or the linked files of
 * a catalog.
 */
export function hasPreview(root: Json): boolean {
  const boxes = recordOf(recordOf(root['extent'])['spatial'])['bbox'];
  const hasPlace = root['geometry'] != null || listOf(root['features']).length > 0 || listOf(boxes).length > 0;
  return hasPlace || linksBelow(root).length > 0;
}

export interface StacFile {
  repository: RepositoryPath;
  key: string;
  dataProxyUrl: string;
  /** Returns the URL of a file's page. Returns undefined for a file that the reader cannot open. */
  hrefOf?: ((key: string) => string | undefined) | undefined;
}

export interface StacViewProps {
  root: Json;
  file: StacFile;
}

/** The component that shows STAC files. Pages that a script renders load its code only for these files. */
export const StacViewer = createContext<ComponentType<StacViewProps> | undefined>(undefined);
