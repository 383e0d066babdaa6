import { randomBytes } from 'node:crypto';

/**
 * Runs before each test file, also where files share a process. An engine has a database for each access key: in one that all
 * files shared, a write to a new table would cost the more the more changes the streams of all former tables hold, after
 * 12,000 of them fourteen times as much.
 */
process.env['TEST_DATABASE'] = `TEST${randomBytes(8).toString('hex')}`;
