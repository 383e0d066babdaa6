import type { CiProviderKind, RepositoryKind } from '../../../domain/ci/providers.ts';
import { quoted } from '../commands.ts';
import type { Origin } from './subject.ts';

interface WorkflowFile {
  kind: RepositoryKind;
  origin: Origin;
  name: string;
  /** The YAML lines of a CI job that sign-in requires. They come from the API. */
  job: string;
  /** The S3 URI of the data that the job writes or reads. */
  s3Uri: string;
  /** True when the job may write. The generated job then uploads a folder. If false, the job lists the data. */
  mayWrite: boolean;
}

/** The path of the workflow file in the repository, for each CI system. */
export const workflowTitles: Readonly<Record<RepositoryKind, string>> = {
  github: '.github/workflows/publish.yml',
  gitlab: '.gitlab-ci.yml',
};

/** The usual name of each CI system, and the name of the host that stores its code. */
export const ciSystems: Readonly<Record<RepositoryKind, { name: string; host: string }>> = {
  github: { name: 'GitHub Actions', host: 'GitHub' },
  gitlab: { name: 'GitLab CI/CD', host: 'GitLab' },
};

/** The usual name of each kind of issuer. */
export const issuerSystems: Readonly<Record<CiProviderKind, string>> = {
  github: ciSystems.github.name,
  gitlab: ciSystems.gitlab.name,
  forgejo: 'Forgejo Actions',
  kubernetes: 'Kubernetes',
  oidc: 'OpenID Connect',
};

/** Returns the workflow file for one trusted workflow. The user can paste the file without changes. */
export function workflowFile(file: WorkflowFile): string {
  return files[file.kind](file);
}

const files: Readonly<Record<RepositoryKind, (file: WorkflowFile) => string>> = {
  github: githubFile,
  gitlab: gitlabFile,
};

function githubFile({ origin, name, job, s3Uri, mayWrite }: WorkflowFile): string {
  const text = textOf(name);
  const on = origin === 'environment' ? 'on: workflow_dispatch' : `on:\n  push:\n    ${triggers[origin]}: [${text}]`;
  const environment = origin === 'environment' ? `    environment: ${text}\n` : '';
  return `${on}
jobs:
  publish:
    runs-on: ubuntu-latest
${environment}${indented(job, 4)}${mayWrite ? '      - uses: actions/checkout@v7\n' : ''}      - run: ${lastCommand(s3Uri, mayWrite)}
`;
}

const triggers = { branch: 'branches', tag: 'tags' } as const;

// The job needs no checkout step, because GitLab checks out the repository by itself.
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
  return mayWrite
    ? `aws s3 sync data ${s3Uri}  # data: the folder to publish`
    : `aws s3 ls ${s3Uri}  # This account may only read. To publish, grant it “Read and write” on a repository.`;
}

/**
 * Returns a YAML string that contains no GitHub expression. The branch name may come from an attacker, who could
 * otherwise run code in the workflow with `${{ … }}`.
 */
function textOf(name: string): string {
  return quoted(name.replaceAll('${{', '$ {{'));
}

function indented(lines: string, by: number): string {
  return lines.replace(/^(?=.)/gm, ' '.repeat(by));
}
