import { seedNames } from '../lib/local/seed.ts';

/** Returns the token of a run that the seeded service account trusts. */
export async function ciToken(identityUrl: string, audience: string): Promise<string> {
  const { repository, branch } = seedNames.workflow;
  const query = new URLSearchParams({ audience, sub: `repo:${repository}:ref:refs/heads/${branch}` });
  const answer = await fetch(`${identityUrl}/ci/token?${query}`);
  const { value } = (await answer.json()) as { value: string };
  return value;
}
