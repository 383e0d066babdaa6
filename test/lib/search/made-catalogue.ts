import type { Repository } from '../../../lib/domain/data/repositories.ts';
import { entryOf } from '../../../lib/search/entry.ts';
import { type Segment, SegmentBuilder } from '../../../lib/search/segment.ts';

/**
 * Returns a generator of random numbers (mulberry32). One seed always gives the same numbers, so that figures and
 * results are comparable.
 */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables =
  'ba be bi bo bu ca ce co cra da de di do dra el en fa fe fi fo gra ha he hi hy in ka ke la le li lo ma me mi mo na ne ni no o pa pe po pra ra re ri ro sa se si so sta sul ta te ti to tra u va ve vi wa xi ya zo'.split(
    ' ',
  );
/** The number of different words in the descriptions of a large catalogue. A few of them are in most descriptions. */
const vocabularySize = 60_000;

function vocabulary(next: () => number): string[] {
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const length = 2 + Math.floor(next() * 4);
    words.add(Array.from({ length }, () => syllables[Math.floor(next() * syllables.length)]).join(''));
  }
  return [...words];
}

export interface MadeCatalogue {
  repositories(): Generator<Repository>;
  words: readonly string[];
}

/**
 * Creates repositories with titles of 6 words, descriptions of 60 words by default, and 5 tags. The word frequencies
 * follow Zipf's law.
 */
export function madeCatalogue(size: number, { descriptionWords = 60 } = {}): MadeCatalogue {
  const words = vocabulary(randomNumbers(7));
  return {
    words,
    *repositories() {
      const next = randomNumbers(1);
      // Zipf's law: the frequency of a word is proportional to 1 / rank.
      const word = () => words[Math.floor(vocabularySize ** next()) - 1] ?? '';
      const text = (count: number) => Array.from({ length: count }, word).join(' ');
      for (let index = 0; index < size; index += 1) {
        const published = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
        yield {
          account_id: `publisher-${index % 997}`,
          repository_id: `${word()}-${index}`,
          state: 'listed',
          data_mode: 'open',
          featured: 0,
          meta: {
            title: text(6),
            description: text(descriptionWords),
            tags: Array.from({ length: 5 }, word).join(', '),
            license: index % 3 === 0 ? 'CC-BY-4.0' : 'MIT OR Apache-2.0',
          },
          data: { primary_mirror: 'store', mirrors: {} },
          published,
          updated: published,
          disabled: false,
        };
      }
    },
  };
}

export function segmentOf(repositories: Iterable<Parameters<typeof entryOf>[0]>): Segment {
  const builder = new SegmentBuilder();
  for (const repository of repositories) builder.add(entryOf(repository));
  return builder.finish();
}
