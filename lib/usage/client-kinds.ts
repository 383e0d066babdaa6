import crawlers from 'crawler-user-agents';
import type { ClientKind } from '../domain/usage/client-kinds.ts';
import { text } from './sql.ts';

// The patterns are matched by RE2, which has no backtracking, so their order and form cannot make a match slow.

/** Matches robots: the list of the package `crawler-user-agents`. COUNTER's list is shorter and changes less often. */
const robots = crawlers.map(({ pattern }) => pattern).join('|');

/** Matches CI systems that name themselves, alone or within the User-Agent of an SDK. */
const ci =
  '(?i)github-?actions|configure-aws-credentials|gitlab-?(ci|runner)|jenkins|circleci|buildkite|teamcity|travis|bitbucket-?pipelines|woodpecker|drone-?ci|azure-?pipelines|codebuild';

/**
 * Matches programs that people use to read data. The lists of robots contain some of them, because websites see them
 * mostly in scripts.
 */
const tools =
  '^(?i)(aiohttp|apache-httpclient|aria2|aws-cli|aws-sdk|axios|boto3|curl|datafusion|duckdb|gdal|git-annex|go-http-client|httpie|httpx|java|libcurl|node|object_store|okhttp|pyarrow|python|r |rclone|restic|reqwest|s3cmd|s3fs|undici|wget)';

/** Matches browsers, which all begin in this way. */
const browsers = '^(Mozilla|Opera)/';

const patterns: readonly (readonly [ClientKind, string])[] = [
  ['ci', ci],
  ['tools', tools],
  ['robots', robots],
  ['browsers', browsers],
];

/** Returns the SQL expression for the kind of client of a decoded User-Agent. */
export function clientKindSql(agent: string): string {
  const cases = patterns.map(([kind, pattern]) => `WHEN regexp_matches(${agent}, ${text(pattern)}) THEN ${text(kind)}`);
  return `CASE ${cases.join(' ')} ELSE 'tools' END`;
}
