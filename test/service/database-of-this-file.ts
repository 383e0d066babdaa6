import { randomBytes } from 'node:crypto';
import { limits } from '../../lib/domain/limits.ts';

/**
 * Runs before each test file, including files in the same process. An engine has one database for each access key. In a
 * shared database, the streams of earlier tables slow down each write to a new table. After 12,000 changes, a write
 * takes 14 times as long.
 */
process.env['TEST_DATABASE'] = `TEST${randomBytes(8).toString('hex')}`;

// The maximum time that an exchange waits for the record of a sign-in. The default is too short for the test engine on
// a busy machine.
Object.assign(limits, { signInWriteMs: 20_000 });
