import { getHealth } from '../../lib/operations/public.ts';
import { apiFunction } from '../../lib/runtime/api-function.ts';

export const handler = apiFunction(getHealth, async () => ({ status: 'ok' as const }));
