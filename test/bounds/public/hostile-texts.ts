/** Returns a text of at most this many bytes in UTF-8, and of nearly this many. */
export type TextMaker = (bytes: number) => string;

const repeated =
  (unit: string, before = '', after = ''): TextMaker =>
  (bytes) => {
    const room = bytes - Buffer.byteLength(before + after);
    return before + unit.repeat(Math.max(1, Math.floor(room / Buffer.byteLength(unit)))) + after;
  };
/** Repeats `unit` with a different number each time. */
const counted =
  (unit: (at: number) => string, before = '', after = ''): TextMaker =>
  (bytes) => {
    let text = before;
    for (let at = 0; ; at += 1) {
      const next = unit(at);
      if (Buffer.byteLength(next) + Buffer.byteLength(after) + text.length > bytes) return text + after;
      text += next;
    }
  };
const halves =
  (first: TextMaker, second: TextMaker): TextMaker =>
  (bytes) =>
    first(Math.floor(bytes / 2)) + second(Math.floor(bytes / 2));
/** Returns a text maker that repeats a beginning and an end around `inside`, as often as the given size allows. */
const nested =
  (opening: string, inside: string, closing: string): TextMaker =>
  (bytes) => {
    const depth = Math.floor((bytes - inside.length) / (opening.length + closing.length));
    return opening.repeat(depth) + inside + closing.repeat(depth);
  };

/** Hostile texts for every file format that the service reads as text. */
export const hostileTexts: Readonly<Record<string, TextMaker>> = {
  'one line': repeated('a'),
  'one line of spaces': repeated(' '),
  'one line of tabs': repeated('\t'),
  'line breaks alone': repeated('\n'),
  'carriage returns': repeated('\r'),
  'characters that HTML escapes': repeated('&'),
  quotes: repeated('"'),
  'opening angle brackets': repeated('<'),
  'no characters at all': (bytes) => '\u0000'.repeat(bytes),
  'letters that fold to many': repeated('\ufdfa'),
  'combining marks': repeated('\u0301', 'a'),
  'characters of two code units': repeated('\u{1f600}'),
  commas: repeated(','),
  'rows of one comma': repeated(',\n'),
  'rows of many values': repeated(`${'1,'.repeat(500)}\n`),
  'a long first row, then short ones': halves(repeated('a,', '', '\n'), repeated('b\n')),
  semicolons: repeated(';'),
  'quoted values': repeated('"a""b",'),
  'a quote that never ends': repeated('a,\n', '"'),
  'quotes on each line': repeated('"\n'),
  'nested arrays': nested('[', '', ']'),
  'nested objects': nested('{"a":', '1', '}'),
  'arrays as deep as they are shown': repeated(`${nested('[', '1', ']')(198)},`, '[', '1]'),
  'an array of numbers': repeated('0,', '[', '0]'),
  'an array of long numbers': repeated('1e308,', '[', '0]'),
  'one long number': repeated('9'),
  'an array of empty arrays': repeated('[],', '[', '[]]'),
  'an array of empty objects': repeated('{},', '[', '{}]'),
  'keys of 1,024 bytes': counted((at) => `"${String(at).padEnd(1024, 'k')}":1,`, '{', '"":0}'),
  'many short keys': counted((at) => `"${at}":0,`, '{', '"":0}'),
  'one key again and again': repeated('"__proto__":{},', '{', '"":0}'),
  'escapes of JSON': repeated('\\u0000', '"', '"'),
  'links of STAC': repeated('{"rel":"item","href":"../a"},', '{"type":"Catalog","stac_version":"1","links":[', '{}]}'),
  'absolute links of STAC': repeated(
    `{"rel":"item","href":"https://a.example/${'../'.repeat(60)}"},`,
    '{"type":"Catalog","stac_version":"1","links":[',
    '{}]}',
  ),
  'assets of STAC': counted(
    (at) => `"${at}":{"roles":["${'<'.repeat(300)}"]},`,
    '{"type":"Feature","stac_version":"1","assets":{',
    '"":{}}}',
  ),
  'a description of STAC': repeated('[a](b) ', '{"type":"Catalog","stac_version":"1","description":"', '"}'),
  'keywords of STAC': repeated('"<",', '{"type":"Collection","stac_version":"1","keywords":[', '0]}'),
  'items of STAC': repeated('{"id":"<"},', '{"type":"FeatureCollection","stac_version":"1","features":[', '{}]}'),
  'an array of Zarr': repeated('1,', '{"zarr_format":3,"shape":[', '1]}'),
  'long numbers in a shape of Zarr': repeated('1e308,', '{"zarr_format":3,"shape":[', '1]}'),
  'dimension names of Zarr': repeated('"",', '{"zarr_format":3,"shape":[1],"dimension_names":[', '""]}'),
  'codecs of Zarr': repeated('{"name":"a"},', '{"zarr_format":3,"shape":[1],"codecs":[', '{}]}'),
  'arrays of Zarr': counted(
    (at) => `"${at}":{"shape":[1]},`,
    '{"zarr_format":3,"consolidated_metadata":{"metadata":{',
    '"z":{}}}}',
  ),
  'attributes of Zarr': counted((at) => `"${at}":[],`, '{"zarr_format":3,"attributes":{', '"z":1}}'),
  'a document type with entities': (bytes) =>
    repeated('&b;', '<!DOCTYPE a [<!ENTITY b "&c;&c;&c;"><!ENTITY c "xxxxxxxx">]><a>', '</a>')(bytes),
};

const longUrl = `http://x.y/${'z'.repeat(2000)}`;
/** Additional hostile texts for Markdown. */
export const hostileMarkdown: Readonly<Record<string, TextMaker>> = {
  'one reference used again and again': repeated('[a] ', `[a]: ${longUrl}${'z'.repeat(40_000)}\n\n`),
  'short references used again and again': repeated('[a]', `[a]: ${longUrl}\n\n`),
  'reference definitions': counted((at) => `[${at}]: /${at}\n`),
  'images of the folder': repeated('![](a)'),
  'links of the folder': repeated('[](a)'),
  'opening square brackets': repeated('['),
  'closing square brackets': repeated(']'),
  'brackets without an end': repeated('[a]('),
  'images without an end': repeated('!['),
  'brackets in short paragraphs': repeated(`${'['.repeat(100)}\n\n`),
  'brackets in long paragraphs': repeated(`${'['.repeat(8000)}\n\n`),
  'images in long paragraphs': repeated(`${'!['.repeat(4000)}\n\n`),
  'brackets and stars in long paragraphs': repeated(`${'[*'.repeat(4000)}\n\n`),
  'links in links': nested('[', 'a', '](b)'),
  emphasis: repeated('*a_ '),
  'stars alone': repeated('*'),
  'stars apart': repeated('* '),
  'stars around letters': repeated('*a**b'),
  'underscores alone': repeated('_'),
  'stars that open': repeated('**a '),
  backticks: counted((at) => `${'`'.repeat(at + 1)}a`),
  'backticks alone': repeated('`'),
  fences: repeated('~~~\n'),
  'nested quotes': repeated('>'),
  'lines that continue nested quotes': repeated('a\n', '>'.repeat(30)),
  'nested quotes on each line': repeated(`${'>'.repeat(200)}\n`),
  'nested lists': repeated('- '),
  'deeper and deeper lists': counted((at) => `${' '.repeat(Math.min(at * 2, 400))}- a\n`),
  'lists of one': repeated('1. a\n\n'),
  'a table of many columns': halves(
    (bytes) => `${'|a'.repeat(Math.floor(bytes / 4))}|\n${'|-'.repeat(Math.floor(bytes / 4))}|\n`,
    repeated('|\n'),
  ),
  'tables of 100 columns': repeated('|\n', `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n`),
  'tables one after another': repeated('|a|\n|-|\n\n'),
  headings: repeated('# a\n'),
  'underlined headings': repeated('a\n-\n'),
  'bare URLs': repeated('http://a.b '),
  'a long bare URL': repeated('a/', 'http://x.y/'),
  'bare host names': repeated('a.com '),
  'dots and letters': repeated('a.'),
  'mail addresses': repeated('a@b.com '),
  'at signs': repeated('@'),
  'letters, then an at sign': repeated('a', '', '@'),
  'angle brackets around URLs': repeated('<a:b>'),
  'angle brackets without an end': repeated('<a:'),
  'HTML tags': repeated('<a b="c">'),
  'HTML comments without an end': repeated('<!--'),
  entities: repeated('&lt;'),
  'entities by number': repeated('&#38;'),
  backslashes: repeated('\\'),
  'links with parentheses': repeated('[a](', '', ')'),
  'titles without an end': repeated('[a](b "'),
  'two spaces and a line break': repeated('a  \n'),
  strikethrough: repeated('~~a'),
  'colons and slashes': repeated('://'),
};
