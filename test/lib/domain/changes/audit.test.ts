import { expect, test } from 'vitest';
import { auditKindSchema } from '../../../../lib/domain/changes/audit.ts';
import { sourceFiles } from '../../../architecture/source-files.ts';

test('some code writes every kind of audit event', () => {
  const writers = [...sourceFiles('functions/**'), ...sourceFiles('lib/{domain,edge,streams,store,repository-jobs}/**')]
    .filter(({ path }) => path !== 'lib/domain/changes/audit.ts')
    .map(({ text }) => text)
    .join('\n');
  expect(auditKindSchema.options.filter((kind) => !writers.includes(`'${kind}'`))).toEqual([]);
});
