import { apiFunction } from '../../lib/deployed/api-function.ts';
import { getHealth } from '../../lib/operations/public.ts';

export const handler = apiFunction(getHealth, async () => ({ status: 'ok' as const }));
