import { readdirSync, readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => ({ name, content: readFileSync(`${folder}/${name}`, 'utf8') }));

describe.each(workflows)('the workflow $name', ({ name, content }) => {
  const parsed = parseWorkflow({ name, content }, new NoOperationTraceWriter());

  test("is valid in GitHub's own grammar, with its expressions", async () => {
    expect(parsed.context.errors.getErrors().map(({ message }) => message)).toEqual([]);
    expect(parsed.value).toBeDefined();
    if (parsed.value === undefined) return;
    const template = await convertWorkflowTemplate(parsed.context, parsed.value);
    expect(template.errors ?? []).toEqual([]);
    expect(template.jobs.length).toBeGreaterThan(0);
  });

  test('contains no secret, and no shell runs text of a pull request', () => {
    expect(content).not.toMatch(/secrets\.|pull_request_target/);
    const commands = [...content.matchAll(/^ *(?:- )?run: (.*)$/gm)].map(([, command]) => command);
    expect(commands.filter((command) => command?.includes('${{'))).toEqual([]);
  });

  test('has read access to the repository, and only the further rights that its purpose needs', () => {
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

test('the checks find an invalid workflow', () => {
  const [first] = workflows;
  const content = (first?.content ?? '').replace('runs-on:', 'run-on:');
  const { context } = parseWorkflow({ name: 'wrong.yml', content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).not.toEqual([]);
});

test('the release workflow publishes only for a tag, and publishes nothing when started by hand', () => {
  const content = readFileSync(`${folder}/release.yml`, 'utf8');
  const [check = '', release = ''] = content.split(/^ {2}release:$/m);
  expect(check).not.toMatch(/contents: write|gh release/);
  expect(release).toMatch(/^ {4}if: github\.event_name == 'push'$/m);
  expect(release).toMatch(/^ {4}needs: check$/m);
});
