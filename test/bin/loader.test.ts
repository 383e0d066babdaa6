import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const commands = Object.entries(scripts).filter(([, script]) => /^node (?!-e )/.test(script));
const olderNode = 'data:text/javascript,Object.defineProperty(process, "version", { value: "v20.20.2" })';

test.each(commands)(
  'npm run %s prints the required Node version before an older Node parses TypeScript',
  (_, script) => {
    const args = script.split(' ').slice(1);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', olderNode, ...args], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'This needs Node 24 and runs on v20.20.2: install it with "npm ci --ignore-scripts=false", and start this with npm.\n',
    });
  },
);

test('the list contains every command that starts its own Node process', () => {
  expect(commands.map(([name]) => name)).toEqual([
    'start',
    'demo',
    'types',
    'prose',
    'migrate',
    'search-index',
    'verify',
    'mutate',
    'screenshots',
    'simulate',
    'bench',
  ]);
});
