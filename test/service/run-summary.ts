import path from 'node:path';
import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node';

const slowestMax = 10;

/**
 * Prints, at the end of a run, the slowest test files and the skipped tests, for example of clients that are not
 * installed.
 */
export default class RunSummary implements Reporter {
  #isFiltered = false;

  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#isFiltered) return;
    const slowest = modules
      .map((module) => ({ file: nameOf(module), seconds: module.diagnostic().duration / 1000 }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, slowestMax);
    if (modules.length > 1)
      print(
        'Slowest files:',
        slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
      );
    const skipped = modules.flatMap((module) => skippedIn(module).map((name) => `  ${nameOf(module)}: ${name}`));
    print('Skipped tests (docs/contributing/testing.md names what they need):', skipped);
  }
}

/** Returns the names of the outermost suites and tests that were skipped as a whole. */
function skippedIn(parent: TestModule | TestSuite): string[] {
  return [...parent.children].flatMap((child) => {
    const tests = child.type === 'test' ? [child] : [...child.children.allTests()];
    if (tests.every((test) => test.result().state === 'skipped')) return [child.name];
    return child.type === 'test' ? [] : skippedIn(child);
  });
}

function nameOf({ moduleId }: TestModule): string {
  return path.relative(process.cwd(), moduleId);
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length > 0) process.stdout.write(`\n${[title, ...lines].join('\n')}\n`);
}
