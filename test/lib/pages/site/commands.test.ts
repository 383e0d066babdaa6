import { describe, expect, test } from 'vitest';
import { isClear, quoted, shell, shellName, shellUrl } from '../../../../lib/pages/site/commands.ts';
import { signedRecipesFor } from '../../../../lib/pages/site/signed-recipes.ts';
import { recipesFor } from '../../../../lib/pages/site/use-it.tsx';

const repository = { account_id: 'tides', repository_id: 'gauges' };
const proxy = 'https://data.example';
const shells = ['AWS CLI', 'curl', 'rclone', 'QGIS'];
const commandsOf = (key: string) =>
  [recipesFor, signedRecipesFor].flatMap((recipes) => [
    ...recipes(proxy, repository, key),
    ...recipes(proxy, repository, `${key}/`),
  ]);
const noCommand = '# No command: the name has characters that shells can treat as code. Use Python.';

describe('a file name that a shell could run', () => {
  test.each([
    ['$(calc).tif'],
    ['`calc`.tif'],
    ['%PATH%.tif'],
    ['%ACCESS_TOKEN%.tif'],
    ['a"&calc&".tif'],
    ["a'; calc #.tif"],
    ['a&calc.tif'],
    ['a|calc>b.tif'],
    ['a^!calc!.tif'],
    ['a\\..\\b.tif'],
    ['~;*?[a]{b}<c>.tif'],
    ['a“$(calc)”.tif'],
    ['a‘;calc;’.tif'],
    ['aʺ --config evil.tif'],
    ['a＂b.tif'],
    ['€CESS_TOKEN b.tif'],
    ['\u0344.tif'],
    ['a\u001b[201~\u0003rm -rf ~.tif'],
    ['a\u202efit.tif'],
    ['a\u2066b\u2069.tif'],
    ['a\u200b\ufeff\u3164.tif'],
    ['a\u2028calc\u0085.tif'],
    ['a\u{e0041}😀.tif'],
  ])('is in no command as it is: %j', (key) => {
    const recipes = commandsOf(key);
    expect(recipes.length).toBeGreaterThan(8);
    for (const { tool, commands } of recipes) {
      if (!shells.includes(tool)) {
        expect(isClear(commands.replaceAll('\n', '')), commands).toBe(true);
        continue;
      }
      for (const line of commands.split('\n').filter((each) => !each.startsWith('#'))) {
        expect(line).toMatch(/^(?:[\w ./:@+=,()%-]|"[\w ./:@+=,()%-]*")+$/);
        expect(line).not.toMatch(/%(?:[A-F][0-9A-F][^%]+|CD|[^0-9A-F%][^%]*)%/);
      }
    }
    expect(recipes.filter(({ tool }) => tool === 'AWS CLI').map(({ commands }) => commands)).toEqual(
      Array(4).fill(noCommand),
    );
    expect(recipes.filter(({ tool }) => tool === 'Python')).toHaveLength(4);
  });
});

describe('a word of a command', () => {
  test.each([
    ['a/b-1.tif', 'a/b-1.tif'],
    ['year=2026/a.tif', 'year=2026/a.tif'],
    ['a b (1), c.tif', '"a b (1), c.tif"'],
    ['-rf', '"-rf"'],
    ['', '""'],
    ['@a', '"@a"'],
  ])('is quoted for all shells: %j', (word, expected) => {
    expect(shell`cat ${word}`).toBe(`cat ${expected}`);
  });

  test.each([
    ['a b.tif', 'a%20b.tif'],
    ["a'b(1)!~*.tif", 'a%27b(1)%21%7E%2A.tif'],
    ['Gebühr a.tif', 'Geb%C3%BC%68r%20a.tif'],
    ['€CESS_TOKEN b', '%E2%82%AC%43ESS_TOKEN%20b'],
  ])('is a URL without variables of cmd.exe: %j', (name, expected) => {
    expect(shellUrl(encodeURIComponent(name))).toBe(expected);
    expect(decodeURIComponent(expected)).toBe(name);
    expect(shell`curl ${shellUrl(encodeURIComponent(name))}`).not.toBe(noCommand);
  });

  test.each([
    ['a/-rf', './-rf'],
    ['a/Größe.csv', 'Gr__e.csv'],
    ['a/..\\..\\b', '_.._.._b'],
    ['a/.bashrc', '_.bashrc'],
    ['a/b:c', 'b_c'],
  ])('is the name of a copy: %j', (key, expected) => {
    expect(shellName(key)).toBe(expected);
  });
});

test.each([
  ['Größe 潮', '"Größe 潮"'],
  ['a"\\\n', String.raw`"a\"\\\n"`],
  ['\u202e\u007f\u0085\u3164', String.raw`"\u202e\u007f\u0085\u3164"`],
  ['😀', String.raw`"\U0001f600"`],
])('quotes %j for Python, R, and YAML', (text, expected) => {
  expect(quoted(text)).toBe(expected);
});
