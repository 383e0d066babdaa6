import { findOpenFile } from '../../lib/domain/data/open-data.ts';
import { notFound } from '../../lib/http/targets.ts';
import { pageFunction } from '../../lib/lambda/functions/page-function.ts';
import { findShownVersion } from '../../lib/lambda/site/shown-version.ts';
import { showPreview } from '../../lib/operations/pages.ts';
import { previewPage } from '../../lib/pages/site/preview.tsx';
import { scriptedFormatOf } from '../../lib/pages/site/previews/scripted.ts';
import { absentPage } from '../../lib/pages/site/problem.tsx';

export const handler = pageFunction(
  showPreview,
  async ({ target, query: { path: key = '', frame, version }, services }) => {
    const format = scriptedFormatOf(key);
    if (format === undefined) return notFound('file');
    const found = await findShownVersion(target, version, services);
    if ('refusal' in found) return found.refusal;
    const { repository } = found;
    const metadata = await findOpenFile(services.openData, repository, key);
    if (metadata === undefined) return absentPage(services.site(), repository, key);
    return previewPage({
      site: services.site(),
      repository,
      dataProxyUrl: services.dataProxy().url,
      key,
      format,
      bytes: metadata.bytes,
      isFramed: frame !== undefined,
    });
  },
);
