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

  test('may read the repository and nothing else, but for the identity token of a deployment', () => {
    const granted = [...content.matchAll(/^ +([a-z-]+): (read|write)$/gm)].map(
      ([, what, access]) => `${what}: ${access}`,
    );
    const allowed = name === 'deploy.yml' ? ['contents: read', 'id-token: write'] : ['contents: read'];
    expect([...new Set(granted)].sort()).toEqual(allowed);
  });
});

test('a workflow that is wrong would be seen', () => {
  const [first] = workflows;
  const content = (first?.content ?? '').replace('runs-on:', 'run-on:');
  const { context } = parseWorkflow({ name: 'wrong.yml', content }, new NoOperationTraceWriter());
  expect(context.errors.getErrors()).not.toEqual([]);
});
