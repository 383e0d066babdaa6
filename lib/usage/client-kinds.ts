import crawlers from 'crawler-user-agents';
import type { ClientKind } from '../domain/usage/client-kinds.ts';
import { text } from './sql.ts';

// RE2 matches the patterns of this file. It has no backtracking, so no pattern can make a match slow.

/**
 * Matches robots by the list of the package `crawler-user-agents`. COUNTER's own list is shorter and changes less
 * often.
 */
const robots = crawlers.map(({ pattern }) => pattern).join('|');

/** Matches CI systems by the name in their User-Agent, which can be within the User-Agent of an SDK. */
const ci =
  '(?i)github-?actions|configure-aws-credentials|gitlab-?(ci|runner)|jenkins|circleci|buildkite|teamcity|travis|bitbucket-?pipelines|woodpecker|drone-?ci|azure-?pipelines|codebuild';

/**
 * Matches programs with which users read data. The list of robots contains some of these programs, because most of
 * their requests to websites come from scripts.
 */
const tools =
  '^(?i)(aiohttp|apache-httpclient|aria2|aws-cli|aws-sdk|axios|boto3|curl|datafusion|duckdb|gdal|git-annex|go-http-client|httpie|httpx|java|libcurl|node|object_store|okhttp|pyarrow|python|r |rclone|restic|reqwest|s3cmd|s3fs|undici|wget)';

/** Matches browsers. The User-Agent of every browser begins with this text. */
const browsers = '^(Mozilla|Opera)/';

const patterns: readonly (readonly [ClientKind, string])[] = [
  ['ci', ci],
  ['tools', tools],
  ['robots', robots],
  ['browsers', browsers],
];

/** Returns the SQL expression that returns the kind of client for a decoded User-Agent. */
export function clientKindSql(agent: string): string {
  const cases = patterns.map(([kind, pattern]) => `WHEN regexp_matches(${agent}, ${text(pattern)}) THEN ${text(kind)}`);
  return `CASE ${cases.join(' ')} ELSE 'tools' END`;
}
