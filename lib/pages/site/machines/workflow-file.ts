import type { CiProviderKind } from '../../../domain/ci/providers.ts';
import type { Origin } from './subject.ts';

interface WorkflowFile {
  kind: CiProviderKind;
  origin: Origin;
  name: string;
  /** What a job needs to sign in, as the API says it: the keys of a job. */
  job: string;
  /** Of the data that it publishes or reads. */
  s3Uri: string;
  /** It may write there, so the job publishes a folder; otherwise it lists what it may read. */
  mayWrite: boolean;
}

/** Where a CI system looks for its settings. */
export const workflowPlaces: Readonly<Record<CiProviderKind, string>> = {
  github: '.github/workflows/publish.yml',
  gitlab: '.gitlab-ci.yml',
};

/** What people call a CI system, and where the code lies whose jobs it runs. */
export const ciSystems: Readonly<Record<CiProviderKind, { name: string; host: string }>> = {
  github: { name: 'GitHub Actions', host: 'GitHub' },
  gitlab: { name: 'GitLab CI/CD', host: 'GitLab' },
};

/** The settings of one trusted workflow, ready to paste. */
export function workflowFile(file: WorkflowFile): string {
  return files[file.kind](file);
}

const files: Readonly<Record<CiProviderKind, (file: WorkflowFile) => string>> = {
  github: githubFile,
  gitlab: gitlabFile,
};

function githubFile({ origin, name, job, s3Uri, mayWrite }: WorkflowFile): string {
  const quoted = textOf(name);
  const on = origin === 'environment' ? 'on: workflow_dispatch' : `on:\n  push:\n    ${triggers[origin]}: [${quoted}]`;
  const environment = origin === 'environment' ? `    environment: ${quoted}\n` : '';
  return `${on}
jobs:
  publish:
    runs-on: ubuntu-latest
${environment}${indented(job, 4)}${mayWrite ? '      - uses: actions/checkout@v4\n' : ''}      - run: ${lastCommand(s3Uri, mayWrite)}
`;
}

const triggers = { branch: 'branches', tag: 'tags' } as const;

// GitLab checks the repository out by itself.
function gitlabFile({ origin, name, job, s3Uri, mayWrite }: WorkflowFile): string {
  const variable = origin === 'tag' ? '$CI_COMMIT_TAG' : '$CI_COMMIT_BRANCH';
  const condition = textOf(`${variable} == ${JSON.stringify(name)}`);
  return `publish:
  image:
    name: amazon/aws-cli
    entrypoint: [""]
  rules:
    - if: ${condition}
${indented(job, 2)}  script:
    - ${lastCommand(s3Uri, mayWrite)}
`;
}

function lastCommand(s3Uri: string, mayWrite: boolean): string {
  return mayWrite ? `aws s3 sync data ${s3Uri}  # data: the folder to publish` : `aws s3 ls ${s3Uri}`;
}

/** A text of YAML, in which GitHub finds no expression: names are chosen by whoever ran the workflow. */
function textOf(name: string): string {
  return JSON.stringify(name.replaceAll('${{', '$ {{'));
}

function indented(lines: string, by: number): string {
  return lines.replace(/^(?=.)/gm, ' '.repeat(by));
}
