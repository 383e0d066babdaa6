import { CatalogueIndex } from '../lib/search/catalogue-index.ts';
import { decodeSegment, encodeSegment } from '../lib/search/segment.ts';
import { madeCatalogue, segmentOf } from '../test/lib/search/made-catalogue.ts';

const repositories = 100_000;

/** Searches the largest catalogue that the index supports, for words in nearly all entries and for words in few. */
export function catalogueSearches(): Readonly<Record<'common' | 'rare', () => void>> {
  const { words, repositories: make } = madeCatalogue(repositories);
  const index = new CatalogueIndex(decodeSegment(encodeSegment(segmentOf(make()))), []);
  const searchFor = (q: string) => () => {
    const { hits } = index.search({ q, sort: 'relevance' }, { limit: 110, after: undefined });
    if (hits.length === 0) throw new Error('a search found nothing');
  };
  return { common: searchFor(`${words[3]} ${words[5]}`), rare: searchFor(`${words[3000]} ${words[1]}`) };
}
