import * as z from 'zod';
import {
  type CatalogueTotals,
  type FacetName,
  facetNames,
  type MatchCounts,
  type SearchChange,
  type SearchOrder,
} from '../domain/data/search-entries.ts';
import { limits } from '../domain/limits.ts';
import { labels } from './entry.ts';
import { findWord, rangeOfPrefix } from './matching.ts';
import { documentsWith, scoresOf, searchedWords } from './search.ts';
import { type Segment, SegmentBuilder } from './segment.ts';
import { eachPosting } from './terms.ts';

export interface CatalogueSearch {
  q?: string | undefined;
  tag?: string | undefined;
  account_id?: string | undefined;
  license?: string | undefined;
  format?: string | undefined;
  sort: SearchOrder;
}

export interface Hit {
  account_id: string;
  repository_id: string;
  /** The position of the search hit. The next page starts after the position of the last hit. */
  position: string;
}

/** A repository in the catalogue. `updated` is the last change of its record, in milliseconds since the Unix epoch. */
export interface ListedRepository {
  /** The name in the form `account_id/repository_id`. */
  name: string;
  updated: number;
}

export interface Hits {
  /** The search hits in order, up to the requested limit. */
  hits: Hit[];
  /** The number of all matches of a search. */
  total: number;
  hasMore: boolean;
  /** The counts of all matches of a search. Absent unless requested. */
  counts?: MatchCounts;
}

/** One page of a search. */
export interface SearchPage {
  limit: number;
  after: string | undefined;
  withCounts?: boolean;
}

/**
 * The rank of a hit: a number (highest first), a text, a second number (highest first), and the repository's name.
 * Ranks are compared element by element.
 */
const rankSchema = z.tuple([z.number(), z.string(), z.number(), z.string()]);
type Rank = z.infer<typeof rankSchema>;

/**
 * A searchable catalogue. It consists of the segment that the last index build created, and of the later changes. It is
 * immutable: newer changes create a new object that uses the same segment.
 */
export class CatalogueIndex {
  readonly #built: Segment;
  /** The numbers of the segment's documents that were deleted or changed after the build. */
  readonly #outdated = new Set<number>();
  readonly #changed: Segment;
  #whole: MatchCounts | undefined;

  /** @param changes the latest change of each repository after the build of the index */
  constructor(built: Segment, changes: Iterable<SearchChange>) {
    this.#built = built;
    const changed = new SegmentBuilder();
    for (const change of changes) {
      const document = findDocument(built, change);
      if (document !== undefined) this.#outdated.add(document);
      if (change.entry !== undefined) changed.add(change.entry);
    }
    this.#changed = changed.finish();
  }

  /**
   * Returns all repositories in the catalogue with names from `from` (inclusive) to `before` (exclusive). Without
   * `before`, the range has no end.
   */
  listed(from = '', before?: string): ListedRepository[] {
    const found: ListedRepository[] = [];
    for (const segment of [this.#built, this.#changed]) {
      for (const [document, name] of segment.names.entries()) {
        if (segment === this.#built && this.#outdated.has(document)) continue;
        if (name < from || (before !== undefined && name >= before)) continue;
        found.push({ name, updated: segment.updated[document] ?? 0 });
      }
    }
    return found.sort((a, b) => compareTexts(a.name, b.name));
  }

  /** Returns one page of hits. @throws Error if `after` is not a position of this index */
  search({ q, sort, ...filters }: CatalogueSearch, page: SearchPage): Hits {
    const words = q === undefined ? [] : searchedWords(q);
    // Find nothing if the query has no word. Without this check, the search would find all repositories.
    if (q !== undefined && words.length === 0) return this.#foundNothing(page);
    const wanted = labelsOf(filters);
    const after = page.after === undefined ? undefined : rankSchema.parse(JSON.parse(page.after));
    const best = new BestRanks(page.limit + 1, after);
    let total = 0;
    const counts = new Counts();
    for (const segment of [this.#built, this.#changed]) {
      const scores = words.length === 0 ? undefined : scoresOf(segment, words);
      const labelled = wanted.length === 0 ? undefined : documentsWith(segment, wanted);
      const rankOf = ranking(segment, sort, scores);
      const matches = new Uint8Array(segment.names.length);
      for (let document = 0; document < segment.names.length; document += 1) {
        if (scores?.[document] === 0 || labelled?.[document] === 0) continue;
        if (segment === this.#built && this.#outdated.has(document)) continue;
        total += 1;
        matches[document] = 1;
        best.offer(rankOf, document);
      }
      if (page.withCounts) counts.add(segment, matches);
    }
    const ranks = best.ranks.slice(0, page.limit);
    const counted = page.withCounts ? { counts: counts.finish() } : {};
    return { hits: ranks.map(hitOf), total, hasMore: best.ranks.length > page.limit, ...counted };
  }

  #foundNothing({ withCounts }: SearchPage): Hits {
    return { hits: [], total: 0, hasMore: false, ...(withCounts ? { counts: new Counts().finish() } : {}) };
  }

  /** Returns the counts of the whole catalogue. They are computed once, because the index is immutable. */
  whole(): MatchCounts {
    this.#whole ??= this.countsOf({});
    return this.#whole;
  }

  /** Returns the counts of all matches of a search. */
  countsOf(search: Omit<CatalogueSearch, 'sort'>): MatchCounts {
    const { counts } = this.search({ ...search, sort: 'published' }, { limit: 0, after: undefined, withCounts: true });
    return counts ?? new Counts().finish();
  }
}

/** Counts the files and the labels of the matches of a search. Reads each posting of the labels once. */
class Counts {
  readonly #totals: CatalogueTotals = { repositories: 0, files: 0, bytes: 0 };
  readonly #labels = new Map<FacetName, Map<string, number>>(facetNames.map((name) => [name, new Map()]));

  /** Adds the counts of the documents in a segment for which `matches` is 1. */
  add({ labels: terms, files, bytes }: Segment, matches: Uint8Array): void {
    for (const [document, isMatch] of matches.entries()) {
      if (isMatch === 0) continue;
      this.#totals.repositories += 1;
      this.#totals.files += files[document] ?? 0;
      this.#totals.bytes += bytes[document] ?? 0;
    }
    for (const [name, counts] of this.#labels) {
      const { from, to } = rangeOfPrefix(terms.names, `${name} `);
      for (let term = from; term < to; term += 1) {
        let count = 0;
        eachPosting(terms, term, (document) => {
          count += matches[document] ?? 0;
        });
        if (count === 0) continue;
        const value = (terms.names[term] ?? '').slice(name.length + 1);
        counts.set(value, (counts.get(value) ?? 0) + count);
      }
    }
  }

  finish(): MatchCounts {
    const facetOf = (name: FacetName) => {
      const all = Array.from(this.#labels.get(name) ?? [], ([value, count]) => ({ value, count }));
      const sorted = all.sort((a, b) => b.count - a.count || compareTexts(a.value, b.value));
      const values = sorted.slice(0, limits.facetValuesMax);
      return { values, more: sorted.length - values.length };
    };
    const [tag, license] = [facetOf('tag'), facetOf('license')];
    return {
      totals: this.#totals,
      facets: { tag, license, account: facetOf('account'), format: facetOf('format') },
    };
  }
}

/** Collects the best matches after the position `after`, at most `size`. */
class BestRanks {
  readonly ranks: Rank[] = [];
  readonly #size: number;
  readonly #after: Rank | undefined;

  constructor(size: number, after: Rank | undefined) {
    this.#size = size;
    this.#after = after;
  }

  offer({ firstOf, rankOf }: Ranking, document: number): void {
    const last = this.ranks.length === this.#size ? this.ranks.at(-1) : undefined;
    // Compare the first element of the rank first, because it excludes most documents.
    if (last !== undefined && firstOf(document) < last[0]) return;
    const rank = rankOf(document);
    if (last !== undefined && compareRanks(rank, last) >= 0) return;
    if (this.#after !== undefined && compareRanks(rank, this.#after) <= 0) return;
    let [low, high] = [0, this.ranks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = this.ranks[middle];
      if (there !== undefined && compareRanks(there, rank) < 0) low = middle + 1;
      else high = middle;
    }
    this.ranks.splice(low, 0, rank);
    if (this.ranks.length > this.#size) this.ranks.pop();
  }
}

interface Ranking {
  firstOf(document: number): number;
  rankOf(document: number): Rank;
}

function ranking(segment: Segment, sort: SearchOrder, scores: Uint16Array | undefined): Ranking {
  const { names, titles, published, updated } = segment;
  const firstOf = {
    relevance: (document: number) => scores?.[document] ?? 0,
    published: (document: number) => published[document] ?? 0,
    updated: (document: number) => updated[document] ?? 0,
    title: () => 0,
  }[sort];
  const rankOf = (document: number): Rank => [
    firstOf(document),
    sort === 'title' ? (titles[document] ?? '') : '',
    sort === 'relevance' ? (updated[document] ?? 0) : 0,
    names[document] ?? '',
  ];
  return { firstOf, rankOf };
}

function compareRanks(a: Rank, b: Rank): number {
  return b[0] - a[0] || compareTexts(a[1], b[1]) || b[2] - a[2] || compareTexts(a[3], b[3]);
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function hitOf(rank: Rank): Hit {
  const [account_id = '', repository_id = ''] = rank[3].split('/');
  return { account_id, repository_id, position: JSON.stringify(rank) };
}

function labelsOf({ tag, account_id, license, format }: Omit<CatalogueSearch, 'q' | 'sort'>): string[] {
  return [
    ...(tag === undefined ? [] : [labels.tag(tag)]),
    ...(account_id === undefined ? [] : [labels.account(account_id)]),
    ...(license === undefined ? [] : [labels.license(license)]),
    ...(format === undefined ? [] : [labels.format(format)]),
  ];
}

/** Returns the number of a repository's document in a segment. Searches only the few documents of its account. */
function findDocument(segment: Segment, { account_id, repository_id }: SearchChange): number | undefined {
  const term = findWord(segment.labels.names, labels.account(account_id));
  let found: number | undefined;
  if (term < 0) return undefined;
  eachPosting(segment.labels, term, (document) => {
    if (segment.names[document] === `${account_id}/${repository_id}`) found = document;
  });
  return found;
}
