import { type CitedVersion, citedVersion } from '../../../../lib/domain/citation/cited-version.ts';

type Citable = Parameters<typeof citedVersion>[0];

const described: Citable = {
  site: { name: 'Open Tides', url: 'https://tides.example.org' },
  account: { account_id: 'tide-institute', account_type: 'organization', profile: { name: 'Tide Institute' } },
  repository: {
    account_id: 'tide-institute',
    repository_id: 'tide-gauges',
    meta: {
      title: 'Tide gauges',
      description: 'Sea levels of 40 harbors.',
      tags: 'sea level, tides',
      license: 'CC-BY-4.0',
      keywords: ['tides', 'harbors'],
    },
  },
  version: {
    name: '2026-08',
    created_at: '2026-08-31T23:59:59.000Z',
    frozen_at: '2026-09-01T00:00:02.000Z',
    keys: 40,
    bytes: 123_456,
  },
};

/** Returns the citation of a version with some fields replaced. */
export function cited(
  meta: Partial<Citable['repository']['meta']> = {},
  version: Partial<Citable['version']> = {},
  { name = 'Tide Institute', site = 'Open Tides' }: { name?: string; site?: string } = {},
): CitedVersion {
  const { account, repository } = described;
  return citedVersion({
    site: { ...described.site, name: site },
    account: { ...account, profile: { name } },
    repository: { ...repository, meta: { ...repository.meta, ...meta } },
    version: { ...described.version, ...version },
  });
}

/** Returns the citation of a version whose every free text is this one. */
export function citedWith(text: string): CitedVersion {
  const meta = { title: text, description: text, tags: text, keywords: [text], license: undefined as never };
  const withdrawal = { reason: text, withdrawn_at: '2026-10-02T00:00:00.000Z' };
  return cited(meta, { withdrawal, doi: typedDoi('10.5281/zenodo.1234567') }, { name: text, site: text });
}

export function typedDoi(doi: string) {
  return { doi, source: 'typed', state: 'typed' } as const;
}

/** Texts with the special characters of each format. */
export const hostileTexts: Readonly<Record<string, string>> = {
  quotes: `"double" 'single' \`back\``,
  'an unbalanced closing brace': '} , note = {injected',
  'an unbalanced opening brace': '{{{',
  backslashes: 'C:\\tides\\ \\" \\\\',
  'a command of TeX': '\\input{/etc/passwd} $x^2$ ~50% #1 a_b & c',
  'another entry of BibTeX': 'x}}\n\n@misc{other, title={y}}',
  'line breaks of each kind': 'a\nER  - \r\nTY  - BOOK\u2028b\u2029c\u0085d\u000be',
  'markup of XML': '</title><creator>&amp; &lt; <![CDATA[x]]> <!-- -->',
  'control characters': '\u0000a\u0001b\u001bc\u007fd\u009fe',
  'text of YAML': '- &a *a !!python/object:os.system {a: [b]} # c: |',
  'emoji and accents': 'Tíðe 🌊 漢字 👩‍🔬 ﷽',
  'a lone surrogate': 'a\ud800b',
  'noncharacters and a byte order mark': '\ufeffa\ufffeb\uffffc',
  'marks that change the reading direction': 'a\u202eb\u2066c\u202cd',
  'spaces only': ' \t\n ',
};
