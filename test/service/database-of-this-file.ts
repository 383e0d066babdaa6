import { randomBytes } from 'node:crypto';
import { limits } from '../../lib/domain/limits.ts';

/**
 * Runs before each test file, including files in the same process. An engine has one database for each access key. In a
 * shared database, a write to a new table becomes slower with the changes in the streams of all earlier tables: 14
 * times slower after 12,000 changes.
 */
process.env['TEST_DATABASE'] = `TEST${randomBytes(8).toString('hex')}`;

// An exchange drops the record of a sign-in that takes longer. On a busy machine, the engine of the tests does.
Object.assign(limits, { signInWriteMs: 20_000 });
