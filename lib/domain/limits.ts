import { daySeconds } from './time.ts';

/** All limits and time spans of the service. The end of each name is its unit. */
export const limits = {
  identifierLengthMin: 3,
  identifierLengthMax: 40,
  serviceAccountIdLengthMax: 82,
  profileNameLengthMax: 128,
  profileBioLengthMax: 1024,
  profileLocationLengthMax: 128,
  webUrlLengthMax: 2048,
  apiKeyNameLengthMax: 128,
  serviceAccountDescriptionLengthMax: 256,
  serviceAccountKeyLabelLengthMax: 64,
  repositoryMetaLengthMax: 4096,
  licenseLengthMax: 256,
  /** Maximum length of a title or a name in a citation. Longer texts are shortened. */
  citedTextLengthMax: 500,
  contactLengthMax: 320,
  keywordsMax: 32,
  keywordLengthMax: 64,
  /** Maximum size of a repository's metadata, as JSON in UTF-8. */
  repositoryMetaBytesMax: 16 * 1024,
  /**
   * Default limit of repositories in one account. An administrator can set another limit, up to `repositoriesEverMax`.
   */
  repositoriesMax: 1000,
  repositoriesEverMax: 10_000,
  accountsCreatedPerDayMax: 10,
  /**
   * Number of times per hour that an account may make private data public again. Each change from public to private
   * starts cache invalidations, which cost money.
   */
  reopeningsPerHourMax: 6,
  /**
   * Days for which the service remembers that a path was public earlier. If the path becomes public again in this time,
   * the change counts toward `reopeningsPerHourMax`.
   */
  closedPathRetentionDays: 30,
  /**
   * Minimum number of daily visitors from a country. Visitors of a repository from all other countries are counted
   * together, as `other`.
   */
  usageCountryVisitorsMin: 5,
  /** Days after which CloudFront's log files are deleted. */
  usageLogRetentionDays: 4,
  /**
   * Days after which the usage counts of single days are deleted. The usage job adds these counts to get the counts of
   * a month.
   */
  usageCountRetentionDays: 62,
  /** Days after the end of a day until its usage counts are final. */
  usageFinalAfterDays: 2,
  usageDayRetentionDays: 800,
  /**
   * The usage job counts a day in several shards if its log files are larger than this in total. A log line takes 40 to
   * 80 bytes.
   */
  usageShardBytesMax: 2_200_000_000,
  /**
   * The memory of the database in the usage job. Above this size, the database writes to the disk. The process needs up
   * to 800 MB more.
   */
  usageDatabaseMb: 1200,
  /** Time after the start of a run in which the usage job begins to count further shards. */
  usageRunSeconds: 600,
  /** The usage of a repository includes reads under its earlier names, for at most this many transfers. */
  usageTransfersFollowed: 3,
  usageWritesAtOnce: 20,
  /** Maximum number of log files that the usage job fetches at the same time. */
  usageFilesAtOnce: 20,
  usageWriteMs: 10_000,
  /** Maximum number of days or months in one response about usage. */
  usagePeriodsMax: 100,
  /** Maximum number of files that the usage of a repository lists for a day or a month. */
  usageFilesMax: 100,
  requestBodyBytesMax: 64 * 1024,
  listPageMax: 1000,
  /**
   * Maximum number of requests to the data proxy for one HTML page. A folder needs its list and README; a file needs
   * its size and its first bytes.
   */
  dataRequestsPerPageMax: 2,
  /** Maximum number of files and folders on one HTML page. */
  folderPageMax: 200,
  /**
   * A preview that reads fewer bytes than this opens together with its page, without a click. Many ordinary web pages
   * load as many bytes.
   */
  openPreviewBytesMax: 2_000_000,
  cataloguePageMax: 24,
  /** Maximum size of the HTML rendered from one user text: a README, a table, a list, JSON-LD, or commands. */
  renderedTextBytesMax: 1_000_000,
  pageBytesMax: 5_000_000,
  /**
   * A README above this number of characters is shown as plain text, because the Markdown parser needs about 300 bytes
   * per token.
   */
  markdownCharactersMax: 128 * 1024,
  markdownTokensMax: 50_000,
  /** A README paragraph above this length is shown as plain text. */
  markdownParagraphCharactersMax: 8 * 1024,
  /** Maximum number of versions that the selector of an HTML page offers, and that one page of their list shows. */
  versionsInSelectorMax: 50,
  versionsPageMax: 100,
  featuredRepositoriesMax: 12,
  featuredOrderMax: 999,
  logoBytesMax: 64 * 1024,
  /**
   * Maximum number of repositories in one file of a divided sitemap. The sitemap format allows 50,000, but each
   * repository takes up to 200 bytes.
   */
  sitemapPartSize: 10_000,
  /** Maximum number of repositories in a sitemap file, including those added after the sitemap was divided. */
  sitemapPartMax: 12_000,
  /** Number of buckets in one list. A list of this length always fits into a response of Lambda@Edge. */
  bucketsPageMax: 5000,
  revocationBatchMax: 1000,
  /** Maximum size of a batch of keys to revoke. A batch of 1,000 key pairs as JSON is smaller. */
  revocationBatchBytesMax: 192 * 1024,
  /**
   * Maximum size of a report by GitHub's secret scanning program, which can send any number of matches in one report.
   */
  leakReportBytesMax: 1024 * 1024,
  leakUrlBytesMax: 512,
  /**
   * Maximum number of attempts to write one change while other changes conflict with it. Each attempt reads the data
   * again.
   */
  changeTriesMax: 6,
  idempotencyStoredSeconds: daySeconds,
  /** Time for which an unfinished request reserves its idempotency key. API Gateway ends each request after 30 s. */
  idempotencyRunningSeconds: 60,

  /** Maximum number of open invitations from one account and its repositories to the same invited account. */
  openInvitationsToOneMax: 3,
  invitationsToOnePerDayMax: 3,
  invitationPauseAfterRejectionHours: 24,
  /**
   * Days after its creation in which an account counts as young. A young account can send a limited number of
   * invitations in 24 hours.
   */
  youngAccountDays: 7,
  invitationsOfYoungAccountPerDayMax: 20,
  openInvitationsOfScopeMax: 100,
  invitationLifeDays: 30,
  /** Days for which an invitation link is valid, and days for which lists show a link that was used or has expired. */
  invitationLinkLifeDays: 14,
  invitationLinkRetentionDays: 30,
  openInvitationLinksMax: 20,
  /** Maximum number of requests of one user per minute that use an invitation link. */
  invitationLinkUsesPerMinuteMax: 30,
  /**
   * Days for which the recipient can accept an offered repository, and days for which the API shows the result
   * afterwards.
   */
  transferOfferLifeDays: 14,
  closedTransferRetentionDays: 30,
  acceptedMembershipsMax: 1000,
  /**
   * Maximum number of organizations that a user can own when the user deletes the account. The deletion ends all these
   * ownerships in one transaction, which has at most 100 items.
   */
  ownedOrganizationsAtDeletionMax: 40,
  /** Days for which the API shows a revoked membership. The service then deletes it. */
  revokedMembershipRetentionDays: 400,
  blockedAccountsMax: 1000,

  /** Maximum number of active keys (neither revoked nor expired) of one account or one repository. */
  apiKeysMax: 200,
  /**
   * Maximum number of keys in the list of one account or repository. When a user adds a key to a full list, the service
   * removes some of the oldest revoked or expired keys.
   */
  keysOfListMax: 500,
  keysDroppedAtOnceMax: 20,
  /** Maximum number of keys of a service account that are not revoked. */
  serviceAccountKeysMax: 50,
  trustedWorkflowsMax: 100,
  /** Maximum number of trusted workflows with the same repository and origin but different conditions. */
  workflowAlternativesMax: 5,
  /** Maximum number of claims besides `sub` that a trusted workflow can require. */
  trustedClaimsMax: 8,
  grantsMax: 1000,
  /** Maximum number of repositories that the response about a leaked key names. */
  leakedKeyRepositoriesMax: 100,
  /**
   * Maximum number of keys with write access that an owner sees before a repository becomes federated-only. The second
   * limit is the maximum number of service accounts that the service examines to find these keys.
   */
  writingKeysShownMax: 500,
  writingServiceAccountsMax: 25,
  keyUseRecordedEverySeconds: 60,
  /** Days for which the service stores the last use of a key without expiry. The value is five years. */
  keyUseRetentionDays: 5 * 365,

  sessionDurationDefaultSeconds: 3600,
  sessionDurationMinSeconds: 900,
  sessionDurationMaxSeconds: 43_200,
  /**
   * Maximum lifetime of the credentials that a page of the site gets. The page renews its credentials before they
   * expire.
   */
  pageSessionDurationMaxSeconds: 3600,
  dataCredentialsPerMinuteMax: 60,
  /**
   * Time between the creation of a new version of a rotating secret and its first use. All instances have read the new
   * version by then.
   */
  secretActivationSeconds: 600,
  /**
   * Time after a rotation for which the old session key still decrypts tokens: 12 h, the longest lifetime of a token,
   * and 1 h as a margin.
   */
  sessionKeyRetentionSeconds: 13 * 3600,
  /**
   * Maximum size of a session token. The token of a link contains the link's prefix, and JSON can double the size of
   * the prefix.
   */
  sessionTokenBytesMax: 4096,
  /** Maximum lifetime of a link to private data, and maximum number of open links of one repository. */
  linkLifeDaysMax: 7,
  openLinksMax: 100,
  linkNoteLengthMax: 200,
  /** Days for which lists show an expired link. */
  linkRetentionDays: 7,
  linkCredentialsSeconds: 15 * 60,
  linkCredentialsPerMinuteMax: 60,
  /**
   * Maximum number of revoked links that a repository remembers, and time for which it remembers each link. All
   * credentials of a link have expired after this time.
   */
  revokedLinksMax: 100,
  revokedLinkRetentionSeconds: 20 * 60,
  /**
   * Maximum number of ended keys and workflows that a service account remembers, and time for which it remembers each
   * of them. All sessions of a key or workflow have expired after this time.
   */
  endedSourcesMax: 150,
  endedSourceRetentionSeconds: 13 * 3600,
  ciTokenLeewaySeconds: 60,
  /**
   * Lifetime of the access tokens with which users' tools sign in to read and write data. The tokens of the site are
   * valid for one hour.
   */
  dataTokenLifeSeconds: 70 * 60,
  siteTokenLifeSeconds: 3600,
  /** Time after which a user must sign in again. The exchange of refresh tokens does not extend it. */
  signedInSeconds: 12 * 3600,
  /**
   * Minimum remaining lifetime of a user's token at the credential exchange. Data credentials expire together with the
   * token.
   */
  userTokenLeftMinSeconds: 60,
  /**
   * TTL of the cached list of OIDC clients. The next two limits are the TTL while the service cannot read a new list,
   * and the pause after a failed read.
   */
  userClientsRefreshSeconds: 300,
  userClientsUsedInOutageSeconds: 24 * 3600,
  userClientsFailureRememberedSeconds: 10,
  /** Maximum size of the subject of a refused token in responses and in the audit trail. */
  refusedSubjectBytesMax: 512,
  /**
   * Maximum number of different refused sign-ins that the audit trail of a service account records per hour. Further
   * refusals are only counted.
   */
  refusedSignInsPerHourMax: 20,
  /** Minimum time between two records of refused sign-ins with the same service account and the same cause. */
  refusedSignInRecordedEverySeconds: 60,
  refusedSignInRetentionDays: 30,
  /**
   * Maximum number of claims in the record of a refused sign-in, and maximum length of each value. The service uses the
   * claims to explain the refusal.
   */
  refusedClaimsMax: 16,
  refusedClaimLengthMax: 512,
  /**
   * Maximum number of refused sign-ins that the service records per minute for all repositories of one owner at a CI
   * system. The limit includes sign-ins to all service accounts.
   */
  refusedSignInsPerSourcePerMinuteMax: 60,
  /**
   * Minimum time between two records about the storage of one connection, for failures and for successes after a
   * failure.
   */
  storageFaultRecordedEverySeconds: 5 * 60,
  storageSuccessRecordedEverySeconds: 3600,
  storageHealthRetentionDays: 30,
  /**
   * Maximum number of records about storage failures and successes that one instance of the data proxy writes in a
   * minute.
   */
  storageReportsPerMinuteMax: 20,
  /** Maximum time for which the credential exchange waits for the record of a sign-in before it responds. */
  signInWriteMs: 500,
  /**
   * Days for which records of accepted sign-ins stay stored. The stream consumer reads a record up to one day after the
   * sign-in, so the record must exist longer.
   */
  signInRecordRetentionDays: 2,
  /**
   * Number of recorded sign-ins that a warm instance remembers, so that it does not write the same record twice in a
   * minute.
   */
  signInRecordsRememberedMax: 1000,
  stsBodyBytesMax: 64 * 1024,
  /**
   * Maximum number of exchanges per minute and IP address in one warm instance. The number is high, because CI runners
   * share IP addresses. A deployment can set another limit.
   */
  exchangesPerIpPerMinute: 1000,
  exchangesPerKeyPerMinute: 100,

  partnerKeysRefreshSeconds: 3600,
  partnerKeysCachedInOutageSeconds: daySeconds,
  partnerKeysFetchEverySeconds: 60,
  issuerFetchTimeoutMs: 2000,
  issuerFetchBytesMax: 256 * 1024,
  issuerUnknownKidFetchEverySeconds: 60,
  issuerKeysRefreshSeconds: 3600,
  issuerKeysCachedInOutageSeconds: daySeconds,
  issuerFailureRememberedSeconds: 10,
  /** TTL of the cached sign-in endpoints of the user issuer. The site's pages need them. */
  issuerEndpointsRefreshSeconds: 3600,
  issuerEndpointsUsedInOutageSeconds: daySeconds,

  registeredIssuersMax: 10,
  /**
   * Maximum number of attempts of one account per hour to register an issuer. Each attempt sends requests to a host
   * that the caller chooses.
   */
  issuerRegistrationsPerHourMax: 30,
  issuerBytesMax: 512,
  issuerKeysMax: 20,
  issuerKeyIdLengthMax: 256,
  /**
   * Timeout of the fetch of an issuer's discovery document and keys together. The second limit is the maximum size of
   * each document.
   */
  registeredIssuerFetchMs: 5000,
  registeredIssuerBytesMax: 64 * 1024,
  /** Time after the last successful fetch in which the keys of a registered issuer stay valid. */
  registeredKeysCountSeconds: daySeconds,
  /**
   * Days after the last sign-in in which an issuer counts as used. The service fetches the keys of used issuers more
   * often than those of unused issuers.
   */
  issuerUsedDays: 30,
  usedIssuerFetchEverySeconds: 15 * 60,
  unusedIssuerFetchEverySeconds: 6 * 3600,
  /** Minimum time between a fetch of an issuer's keys and an extra fetch because a token names an unknown key ID. */
  issuerEarlyFetchEverySeconds: 5 * 60,
  /** Maximum number of trusted workflows of an issuer that the service counts. */
  countedTrustsMax: 100,
  /**
   * Maximum number of issuers that one scheduled run handles in each of the 16 shards. Even if all these issuers
   * respond slowly, a run takes less than a minute.
   */
  issuersOfShardPerRunMax: 10,

  signatureFreshnessSeconds: 15 * 60,
  presignedLifeMaxSeconds: 604_800,
  /** TTL of cached authorization data for writes, copies, and credential exchanges. */
  writeAuthorizationTtlSeconds: 60,
  /** TTL of cached authorization data for reads of data that is not open. */
  readAuthorizationTtlSeconds: 300,
  /** TTL of open data in CloudFront: first the default, then the maximum that a deployment can set. */
  openDataCacheSeconds: 60,
  openDataCacheSecondsMax: 300,
  /** TTL of a cached 404 for a missing object. It is short because a client may write the object at any moment. */
  missingObjectCacheSeconds: 5,
  /**
   * Timeout of the Lambda functions for operations and pages. The data in a response is therefore never older than
   * this.
   */
  operationSecondsMax: 15,
  /**
   * TTL of the cached data for lists of accounts or repositories. It is short, so that new accounts and repositories
   * appear soon.
   */
  listedNamesAgeMaxSeconds: 60,
  connectionCredentialsTtlSeconds: 300,
  /**
   * Maximum duration of a session with an assumed role. The edge function has a role itself, and AWS limits a role that
   * assumes another role (role chaining) to one hour.
   */
  assumedRoleDurationSeconds: 3600,
  assumedRoleRenewedBeforeSeconds: 300,
  /** Lifetime of a token with which the service assumes a role of a data connection. */
  storageTokenSeconds: 300,
  /** TTL of the cached public keys of the storage token issuer, in one instance. */
  identityKeysTtlSeconds: 3600,
  /**
   * TTL of the storage token issuer's documents (discovery document and keys) in the caches of CloudFront and of AWS
   * STS.
   */
  identityDocumentMaxAgeSeconds: 900,
  assumedRoleFailureRememberedSeconds: 10,

  /**
   * Limits of the check of storage after an error in a streamed response: the TTL of a result without a fault, the TTL
   * of a result with a fault, and the timeout of the check.
   */
  workingStorageTtlSeconds: 30,
  failingStorageTtlSeconds: 10,
  storageCheckMs: 2000,
  /** Age at which the service renews the signature of the storage check. S3 accepts a signature for 15 minutes. */
  storageCheckSignedEverySeconds: 300,
  storageErrorBytesMax: 64 * 1024,

  /** Days for which the record of a deleted repository stays stored, so that the cleanup can read it. */
  deletedRepositoryRecordDays: 30,
  auditRetentionDays: 400,
  expiredKeyRetentionDays: 400,
  edgeAnswerBytesMax: 1024 * 1024,
  /**
   * Maximum number of elements and comments in an XML document from a client. The largest valid document completes an
   * upload of 10,000 parts with checksums.
   */
  xmlElementsMax: 150_000,
  /**
   * Maximum number of elements and comments in an XML document from storage. The largest valid document is a list of
   * 1,000 keys, with up to 17 elements for each key.
   */
  storageXmlElementsMax: 32_000,
  /**
   * Maximum length of the text of one XML element before its entities are decoded. An object key has up to 1,024 bytes,
   * and each byte can take 10 characters.
   */
  xmlTextCharactersMax: 16 * 1024,
  /**
   * Maximum size of a request body that Lambda@Edge passes to the function. The function gets only the first part of a
   * larger body.
   */
  edgeBodyBytesMax: 1024 * 1024,

  /**
   * Maximum size of an object key. The limit applies to the client's key together with the repository ID, and to the
   * key that is sent to storage.
   */
  objectKeyBytesMax: 1024,
  /**
   * Limits of S3 for uploads. They explain a refusal to the caller when the response of storage contains only a status.
   */
  oneUploadBytesMax: 5 * 1024 ** 3,
  objectMetadataBytesMax: 2048,
  objectTagsMax: 10,
  objectTagKeyLengthMax: 128,
  objectTagValueLengthMax: 256,
  partNumberMax: 10_000,

  /** Maximum number of indexed words of one repository, and maximum number of indexed letters of one word. */
  searchWordsMax: 128,
  searchWordLettersMax: 32,
  searchTagsMax: 64,
  /**
   * Limits of the search: indexed formats of one repository, length of a format, and values that a search shows for a
   * field.
   */
  searchFormatsMax: 16,
  searchFormatLengthMax: 16,
  facetValuesMax: 10,
  /** Maximum size of the image that a repository shows on cards. */
  coverBytesMax: 500_000,
  /** Maximum length of a search text, and maximum number of its words that the search uses. */
  searchTextLengthMax: 256,
  searchedWordsMax: 8,
  /**
   * Words of at least this length are found with a spelling mistake: one wrong, missing, or extra letter, or two
   * swapped letters.
   */
  misspeltWordLettersMin: 5,
  searchPageMax: 100,
  countedMatchesMax: 10_000,
  /**
   * Limits of the search for an account to invite: the minimum length of the text, the maximum number of results, and
   * the maximum number of searches per minute.
   */
  searchedPrefixLengthMin: 3,
  foundAccountsMax: 10,
  accountSearchesPerMinuteMax: 30,
  /**
   * Maximum size of the list of connections in one bucket. The list is one item of the table, and DynamoDB allows at
   * most 400 KB.
   */
  storageBucketBytesMax: 300 * 1024,
  /** Maximum number of data connections of one account. */
  accountConnectionsMax: 20,
  /**
   * Time limits for storage that an account connected. The first limit is for the headers of one response. The second
   * limit is for all responses that one client request needs. Slow storage of one account must not use up the instances
   * of the edge function.
   */
  accountStorageHeadersMs: 5000,
  accountStorageMs: 15_000,
  /** Maximum number of tests of data connections by one user per minute. */
  connectionTestsPerMinuteMax: 10,
  /**
   * Maximum number of requests to DataCite per account and day that register DOIs or update their metadata. A
   * registered DOI can never be deleted.
   */
  doiSubmissionsPerDayMax: 100,
  /** Maximum number of versions that one account creates in a day, in all its repositories together. */
  newVersionsPerDayMax: 100,
  /** Timeout of a request to DataCite. A registration sends two requests within `operationSecondsMax`. */
  dataCiteRequestMs: 5000,
  dataCiteAnswerBytesMax: 64 * 1024,
  /** Maximum length of the reason of disabling an account or a repository, in characters. */
  disabledReasonLengthMax: 500,
  /** Maximum size of an error text of DataCite that a response of the service repeats. */
  dataCiteReasonBytesMax: 500,
  /** The time window in which DataCite counts requests (support.datacite.org/docs/rate-limit). */
  dataCiteRateWindowSeconds: 300,
  connectionTestMs: 7000,
  connectionTestRequestMs: 3000,
  /**
   * Maximum number of letters of a display name in an index key, without case and accents. One letter can become
   * several letters when its accent is removed.
   */
  indexedNameLettersMax: 64,
  /** Interval at which a warm instance reads the new search changes, and maximum age of its search data. */
  searchIndexRefreshSeconds: 10,
  searchIndexAgeMaxSeconds: 300,
  searchIndexFailureRememberedSeconds: 5,
  /**
   * Each read of search changes repeats this many seconds of the previous read, because clocks differ and changes can
   * arrive late.
   */
  searchChangesOverlapSeconds: 60,
  searchChangeWriteMs: 10_000,
  /** Maximum number of search changes since the last build of the index that an instance holds in memory. */
  searchChangesRetainedMax: 10_000,
  /**
   * Days for which search changes stay stored. No reader uses an index for this long. The parts of an index stay stored
   * much longer, so that only unused parts expire.
   */
  searchChangeRetentionDays: 3,
  searchIndexPartRetentionDays: 30,
  /**
   * The service rebuilds the search index after this number of changes, after the shorter time if there are changes,
   * and after the longer time in any case.
   */
  searchChangesBeforeBuildMax: 500,
  searchIndexWithChangesMinutesMax: 60,
  searchIndexHoursMax: 24,
  /** Days in which owners can cancel the deletion of a repository with versions. */
  repositoryDeletionDays: 7,
  /** Maximum number of versions of a repository, in all states together. */
  versionsMax: 1000,
  /**
   * Limits of one version of a repository: its keys, and the stored object versions and unfinished uploads that the job
   * reads.
   */
  versionKeysMax: 10_000_000,
  versionStoredVersionsMax: 50_000_000,
  versionUploadsMax: 10_000,
  /** Number of keys in one page of a version's manifest. */
  manifestPageEntries: 1000,
  /** Maximum sizes of a page and of the index of a manifest, before compression. */
  manifestPageBytesMax: 8 * 1024 * 1024,
  manifestIndexBytesMax: 16 * 1024 * 1024,
  /** Maximum memory of a warm instance for cached indexes and pages of manifests. */
  manifestCacheBytes: 32 * 1024 * 1024,
  /** Maximum number of manifest pages that one list of a version reads. */
  versionListPagesMax: 50,
  /**
   * Limits of one comparison of two versions: the manifest pages that it reads, the length of the keys in these pages,
   * and the changed files that it lists.
   */
  comparedPagesMax: 64,
  comparedKeyCharactersMax: 12_000_000,
  comparedFilesMax: 1000,
  comparedNamesBytesMax: 512 * 1024,
  /**
   * Number of requests that a verification of a version sends at the same time, and number of objects after which it
   * saves its position.
   */
  verificationRequestsAtOnce: 32,
  verificationObjectsPerSave: 10_000,
  /** Maximum number of missing and changed objects in the result of a verification. */
  verificationProblemsMax: 100,
  /** Minimum time between the starts of two verifications of the same version. */
  verificationEverySeconds: 3600,
  /**
   * Number of listed pages after which the job that creates a version saves its position. After a crash, the next run
   * repeats at most this many pages.
   */
  freezeListedPagesPerSave: 100,
  repositoryJobRequestMs: 30_000,
  /**
   * Maximum number of due background jobs that one run reads. A run reads several, because other runs may have reserved
   * some of them.
   */
  repositoryJobsListedPerRun: 100,
  /**
   * Maximum duration of one run of a background job. It stays below the timeout of a Lambda function, which is 15
   * minutes.
   */
  repositoryJobRunSeconds: 600,
  /** Time for which a run reserves a background job. It is longer than the longest run with its last request. */
  repositoryJobReservedSeconds: 780,
  /**
   * Maximum number of runs of a background job without progress. The job then fails. The pause between two runs grows
   * up to an hour.
   */
  repositoryJobAttemptsMax: 20,
  repositoryJobRetrySecondsMax: 3600,
  /** Days after which the job that creates a version fails, even if it makes progress. */
  versionJobDaysMax: 3,
  /** Maximum size of one response of storage (a list or an error) to the job that creates a version. */
  freezeListBytesMax: 8 * 1024 * 1024,
  /**
   * Limits of an inventory of files: the listed keys and pages, the formats, the folders, and the size of the names of
   * folders.
   */
  inventoryKeysMax: 1_000_000,
  /**
   * Maximum number of pages of lists in an inventory. It is high, because some storage services return fewer than a
   * thousand keys in a page.
   */
  inventoryPagesMax: 10_000,
  inventoryFormatsMax: 50,
  inventoryFoldersMax: 1000,
  inventoryFolderNamesBytesMax: 64 * 1024,
  /**
   * Number of listed pages after which an inventory saves its position. After a crash, the next run repeats at most
   * this many pages.
   */
  inventoryPagesPerSave: 100,
  /**
   * Maximum number of attempts of an inventory without progress. The inventory then fails, and the next automatic
   * inventory tries again.
   */
  inventoryAttemptsMax: 4,
  /** Minimum and maximum time between two automatic inventories. The time doubles while inventories find no change. */
  inventoryIntervalSecondsMin: 6 * 3600,
  inventoryIntervalSecondsMax: 7 * 24 * 3600,
  /** Minimum time between two requests for an inventory of one repository. */
  inventoryRequestSeconds: 300,
  /**
   * Maximum number of requests for inventories of one account in an hour. Each inventory lists up to a million keys.
   */
  inventoryRequestsPerHourMax: 100,
  /**
   * Time from the deletion of a repository to the deletion of its files. After this time, the service refuses all
   * writers of the repository.
   */
  fileDeletionDelaySeconds: 60,
  /** Maximum number of deletions of files that one account has in progress. */
  fileDeletionsMax: 10,
  /** Days for which the record of an ended deletion of files is stored. */
  fileDeletionRecordDays: 90,
} as const;
