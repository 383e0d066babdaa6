import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { CitedVersion } from '../../lib/domain/citation/cited-version.ts';
import { citationFormatNames, citationFormats } from '../../lib/domain/citation/formats.ts';
import { cited, citedWith, hostileTexts, typedDoi } from '../lib/domain/citation/cited-versions.ts';
import { findPythonClient } from './fixtures/python-clients.ts';

/** DataCite's schema files, the schema of the Citation File Format, and programs that read BibTeX and RIS. */
const readers = findPythonClient('pybtex', 'citation');
const schemas = '.clients/datacite/datacite-1.3.1';

interface Read {
  title?: string;
  creators?: string[];
  error?: string;
}

async function read(versions: readonly CitedVersion[]): Promise<Record<string, Read>[]> {
  const citations = versions.map((version) =>
    Object.fromEntries(citationFormatNames.map((name) => [name, citationFormats[name].render(version)])),
  );
  return JSON.parse(await readers.run(['test/clients/python/citation.py', schemas], {}, JSON.stringify(citations)));
}

const versions: Readonly<Record<string, CitedVersion>> = {
  plain: cited(),
  'with a DOI': cited({}, { doi: typedDoi('10.5281/zenodo.1234567') }),
  'of a repository with a DOI': cited({ doi: '10.5281/zenodo.1' }, { doi: typedDoi('10.5281/zenodo.2') }),
  'with a DOI of special characters': cited({}, { doi: typedDoi('10.1000/<a>&"b\'{c}%d') }),
  withdrawn: cited({}, { withdrawal: { reason: 'Wrong.', withdrawn_at: '2026-10-02T08:00:00.000Z' } }),
  'without metadata': cited({ title: '', description: '', tags: '', keywords: [] }, {}, { name: '' }),
  'with alternative licenses': cited({ license: 'MIT OR Apache-2.0' }),
  'with an expression of licenses': cited({ license: 'MIT AND (Apache-2.0 OR LicenseRef-own)' }),
  ...Object.fromEntries(Object.entries(hostileTexts).map(([name, text]) => [`with ${name}`, citedWith(text)])),
};

describe.skipIf(readers.isMissing || !existsSync(schemas))(
  `the citations of a version, read by ${readers.title}`,
  () => {
    test('are valid, and contain its title and its creator', { timeout: 60_000 }, async () => {
      const found = await read(Object.values(versions));
      const byVersion = Object.fromEntries(Object.keys(versions).map((name, at) => [name, found[at]]));
      const expected = Object.entries(versions).map(([name, { title, creator }]) => {
        const asWritten = { title, creators: [creator.name] };
        // BibTeX interprets TeX commands, and RIS removes spaces.
        const bibtex = expect.objectContaining({ creators: [expect.any(String)] });
        return [
          name,
          { 'datacite-json': asWritten, 'datacite-xml': asWritten, cff: asWritten, ris: asWritten, bibtex },
        ];
      });
      expect(byVersion).toEqual(Object.fromEntries(expected));
    });

    test('are refused if they are invalid', async () => {
      const wrong = {
        ...cited(),
        date: 'yesterday',
        subjects: ['a', 'a'],
        creator: { name: '', isOrganization: true },
      };
      const [found = {}] = await read([{ ...wrong, publisher: '' }]);
      const refused = Object.entries(found).filter(([, { error }]) => error !== undefined);
      expect(refused.map(([name]) => name)).toEqual(['datacite-json', 'datacite-xml', 'cff']);
    });
  },
);
