import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest. The end of each run lists the current slowest files. */
const slowFiles = [
  'pages/views/every-view.browser.test.ts',
  'contract/isolation.test.ts',
  'pages/member-pages.browser.test.ts',
  'bounds/public/public-bounds.test.ts',
  'site/console/roles/roles.browser.test.ts',
  'clients/aws.test.ts',
  'pages/site.browser.test.ts',
  'simulation/simulation.test.ts',
  'clients/python-examples.test.ts',
  'site/previews/hostile.test.ts',
  'deployment/deployment.test.ts',
  'clients/go.test.ts',
  'pages/previews.browser.test.ts',
];

/**
 * Starts the slow files first, so that no worker waits for one of them at the end. On a clean clone, Vitest knows only
 * the sizes of the files.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}`));
      return at === -1 ? slowFiles.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
