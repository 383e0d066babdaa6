import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testSeed } from '../service/seeded-random.ts';
import { codeOf, type SourceFile, sourceFiles } from './source-files.ts';

const sources = ['lib/**', 'functions/**', 'bin', 'bench/**', 'site/**'].flatMap(sourceFiles);
const tests = sourceFiles('test/**');

describe('every file', () => {
  it('has a concrete name: no barrel file and no `utils`', () => {
    const nameless = /^(?:index|utils?|common|helpers?|misc|shared)$/;
    const isNameless = (file: SourceFile) => {
      // In bench/ and site/, an index file is the entry point of a tool or a page, and exports nothing.
      const folders = path.dirname(file.path).split('/');
      const name = path.basename(file.path).replace(/(?:\.browser)?(?:\.test)?\.tsx?$/, '');
      return [...folders, ['bench', 'site'].includes(file.part) && name === 'index' ? '' : name].some((part) =>
        nameless.test(part),
      );
    };
    expect(pathsOf([...sources, ...tests], isNameless)).toEqual([]);
  });

  it('is named in kebab-case', () => {
    const isOtherwise = (file: SourceFile) =>
      !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.browser)?(?:\.test)?\.tsx?$/.test(path.basename(file.path));
    expect(pathsOf([...sources, ...tests], isOtherwise)).toEqual([]);
  });

  it('exports only its own declarations', () => {
    expect(pathsOf(sources, (file) => /^\s*export\b[^'"`;=(]*\bfrom\s*['"]/m.test(codeOf(file)))).toEqual([]);
  });
});

describe('a test', () => {
  it('that opens a browser is named *.browser.test.ts, so that npm run test:browsers runs it', () => {
    // The tests of third-party clients have their own command.
    const others = tests.filter(({ path: file }) => /\.test\.ts$/.test(file) && !file.startsWith('test/clients/'));
    const opens = (file: SourceFile) => /\/(?:chromium|browsers|files-fixture)\.ts'/.test(codeOf(file));
    expect(pathsOf(others, (file) => opens(file) !== file.path.endsWith('.browser.test.ts'))).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read only in lib/lambda and bin', () => {
    const readers = sources.filter((file) => /\bprocess\.env\b/.test(codeOf(file)) && file.part !== 'bench');
    expect(pathsOf(readers, ({ part }) => part !== 'lib/lambda' && part !== 'bin')).toEqual([]);
    expect(readers.length).toBeGreaterThan(0);
  });

  it('of the edge bundles is read in one file', () => {
    const isReader = (file: SourceFile) => file.part !== 'lib/stacks' && /\bSLUICE_EDGE_CONFIG\b/.test(codeOf(file));
    expect(pathsOf(sources, isReader)).toEqual(['lib/edge/config.ts']);
  });
});

describe('time and chance', () => {
  const pure = ['domain', 'operations', 'http', 'openapi', 'pages', 'store', 'sigv4', 'sts', 's3'].map(
    (folder) => `lib/${folder}`,
  );
  const uses =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bperformance\.now\b|\brandom(?:Bytes|UUID|Int)\b|\bgetRandomValues\b/;
  const exceptions = new Map([['lib/store/table.ts', 'the jitter between tries of a transaction decides nothing']]);

  it('are parameters in all code with rules', () => {
    const found = pathsOf(sources, (file) => [...pure, 'functions'].includes(file.part) && uses.test(codeOf(file)));
    expect(found).toEqual([...exceptions.keys()]);
  });

  it('never affect generated tests, which use one printed seed', () => {
    const isSeeded = (file: SourceFile) => {
      const seeds = codeOf(file).matchAll(/\bfc\.\w+\((?:[^;]*?\{[^{};]*?)\bseed\b:?\s*([^,}]*)/g);
      return [...seeds].every(([, seed = '']) => seed.startsWith('testSeed'));
    };
    const isRandom = (file: SourceFile) => /\bMath\.random\b/.test(codeOf(file)) || !isSeeded(file);
    expect(fc.readConfigureGlobal().seed).toBe(testSeed);
    expect(pathsOf(tests, isRandom).filter((file) => file !== 'test/architecture/files.test.ts')).toEqual([]);
  });
});

function pathsOf(files: readonly SourceFile[], isMeant: (file: SourceFile) => boolean): string[] {
  return files.filter(isMeant).map((file) => file.path);
}
