import { machineRecipes } from '../../../lib/pages/site/machines/recipes.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { Loaded, type Loading, useLoading } from '../components/loaded.tsx';
import { RecipeChooser } from './recipe-chooser.tsx';

export type Settings = Schemas['ClientSettings'];

/** Loads the settings of this deployment for a service account's clients. */
export function useSettings(service_account_id: string): Loading<Settings> {
  const params = { path: { service_account_id } };
  return useLoading(
    () => dataOf(api.GET('/service-accounts/{service_account_id}/client-settings', { params })),
    [service_account_id],
  );
}

interface ClientSettingsProps {
  id: string;
  settings: Loading<Settings>;
  s3Uri: string;
}

/** Shows the settings for software that signs in with a key. They never contain the key itself. */
export function ClientSettings({ id, settings, s3Uri }: ClientSettingsProps) {
  return (
    <Loaded loading={settings}>
      {(given) => <RecipeChooser recipes={machineRecipes({ service_account_id: id, ...given, s3Uri })} />}
    </Loaded>
  );
}
