import { randomBytes } from 'node:crypto';
import { limits } from '../../lib/domain/limits.ts';

/**
 * Runs before each test file, including files in the same process. An engine has one database for each access key. In a
 * shared database, the streams of earlier tables slow down each write to a new table. After 12,000 changes, a write
 * takes 14 times as long.
 */
process.env['TEST_DATABASE'] = `TEST${randomBytes(8).toString('hex')}`;

// An exchange does not wait longer than this for the record of a sign-in. On a busy machine, the engine of the tests
// exceeds the default.
Object.assign(limits, { signInWriteMs: 20_000 });
