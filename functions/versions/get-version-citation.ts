import { citedVersion } from '../../lib/domain/citation/cited-version.ts';
import { citationFormats } from '../../lib/domain/citation/formats.ts';
import { requireCitable, versionsUidOf } from '../../lib/domain/data/repository-versions.ts';
import { siteFunction } from '../../lib/lambda/functions/api-function.ts';
import { getVersionCitation } from '../../lib/operations/versions.ts';

export const handler = siteFunction(getVersionCitation, async ({ target, path, query, services }) => {
  const { format } = query;
  const version = await services.store.repositoryVersions.load(versionsUidOf(target.repository), path.version_name);
  requireCitable(version, 'not_found');
  const { mediaType, render } = citationFormats[format];
  return {
    format,
    media_type: mediaType,
    content: render(citedVersion({ site: services.site(), ...target, version })),
  };
});
