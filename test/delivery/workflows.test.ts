import { readdirSync, readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => ({ name, content: readFileSync(`${folder}/${name}`, 'utf8') }));

describe.each(workflows)('the workflow $name', ({ name, content }) => {
  const parsed = parseWorkflow({ name, content }, new NoOperationTraceWriter());

  test("is one by GitHub's own grammar, its expressions too", async () => {
    expect(parsed.context.errors.getErrors().map(({ message }) => message)).toEqual([]);
    expect(parsed.value).toBeDefined();
    if (parsed.value === undefined) return;
    const template = await convertWorkflowTemplate(parsed.context, parsed.value);
    expect(template.errors ?? []).toEqual([]);
    expect(template.jobs.length).toBeGreaterThan(0);
  });

  test('holds no secret, and nothing that a pull request names is run by a shell', () => {
    expect(content).not.toMatch(/secrets\.|pull_request_target/);
    const commands = [...content.matchAll(/^ *(?:- )?run: (.*)$/gm)].map(([, command]) => command);
    expect(commands.filter((command) => command?.includes('${{'))).toEqual([]);
  });

  test('may read the repository and nothing else, but for what its one purpose takes', () => {
    const granted = [...content.matchAll(/^ +([a-z-]+): (read|write)$/gm)].map(
      ([, what, access]) => `${what}: ${access}`,
    );
    const further: Readonly<Record<string, string>> = {
      'deploy.yml': 'id-token: write',
      // Only the job that runs for a tag has this permission, after the checks.
      'release.yml': 'contents: write',
    };
    expect([...new Set(granted)].sort()).toEqual(['contents: read', further[name] ?? []].flat());
  });
});

test('a workflow that is wrong would be seen', () => {
  const [first] = workflows;
  const content = (first?.content ?? '').replace('runs-on:', 'run-on:');
  const { context } = parseWorkflow({ name: 'wrong.yml', content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).not.toEqual([]);
});

test('a release is made for a tag alone, and started by hand it makes nothing', () => {
  const content = readFileSync(`${folder}/release.yml`, 'utf8');
  const [check = '', release = ''] = content.split(/^ {2}release:$/m);
  expect(check).not.toMatch(/contents: write|gh release/);
  expect(release).toMatch(/^ {4}if: github\.event_name == 'push'$/m);
  expect(release).toMatch(/^ {4}needs: check$/m);
});
