/** Every limit that client and server share. Sizes are in code points unless named otherwise. */

/** A message after trimming. */
export const MESSAGE_MAX = 4_000

/** The quotes and the signature of a message that came by mail. */
export const QUOTED_MAX = 4_000

/** Files that are named as left out of a mail. One more says how many have no name there. */
export const LEFT_OUT_MAX = 10
export const LEFT_OUT_NAME_MAX = 80

/** A visitor's client id, from `crypto.getRandomValues`. It identifies the conversation. */
export const CLIENT_ID_LENGTH = 20
export const CLIENT_ID_PATTERN = '^[A-Za-z0-9]{20}$'

/** Bytes of a visitor key, from `crypto.getRandomValues`: the credential of a conversation. */
export const VISITOR_KEY_BYTES = 32
/** The same in base64url without padding. */
export const VISITOR_KEY_PATTERN = '^[A-Za-z0-9_-]{43}$'
/** Keys of one conversation, one for each device. */
export const VISITOR_KEYS_MAX = 20

/** The browser's name for a message: the store keeps one message for each. */
export const NONCE_PATTERN = '^[A-Za-z0-9_-]{8,64}$'

/** A card's id, as the dashboard or a program makes it. */
export const CARD_ID_PATTERN = '^[A-Za-z0-9_-]{1,40}$'

/** Ids of both stores. */
export const ID_PATTERN = '^[0-9a-f]{24}$'

export const PAGE_LIMIT_DEFAULT = 200
export const PAGE_LIMIT_MAX = 200
/** Bytes of the JSON of one page of messages or conversations: it ends there, with `more`. */
export const PAGE_BYTES_MAX = 256 * 1024
/** The code points that the conversation list shows of a conversation's newest message. */
export const SUMMARY_TEXT_MAX = 280
export const CONVERSATIONS_LIMIT_DEFAULT = 200
export const CONVERSATIONS_LIMIT_MAX = 500

/** A label after trimming. */
export const LABEL_MAX = 40
/** Labels of one conversation. */
export const LABELS_MAX = 20
/** A note after trimming. */
export const NOTE_MAX = 4_000
/** Conversations of one bulk change. */
export const BULK_MAX = 100
/** Updates that the bell lists. */
export const UPDATES_MAX = 50
/** An older mention or assignment is not listed. */
export const UPDATES_AGE_MS = 30 * 24 * 60 * 60 * 1_000
/** Characters of an update's text. */
export const UPDATE_TEXT_MAX = 200
export const SNOOZE_MAX_MS = 90 * 24 * 60 * 60 * 1_000
/** An exam this near is soon. */
export const EXAM_SOON_MS = 24 * 60 * 60 * 1_000
/** How far from now an exam may be, in either direction: two years. */
export const EXAM_SPAN_MS = 2 * 366 * 24 * 60 * 60 * 1_000
/** The name that a visitor gives. */
export const PROFILE_NAME_MAX = 80
/** A language tag such as `zh-Hant-TW`. */
export const LOCALE_MAX = 35
/** An IANA name; the longest has 32. */
export const TIME_ZONE_MAX = 64
/** The path of the page that a visitor is on. */
export const PAGE_PATH_MAX = 300
export const PAGE_TITLE_MAX = 80
/** The pages that are kept of a visitor: the last ones. */
export const PAGES_KEPT = 20
/** A page that stays open longer counts as so long: a day. */
export const PAGE_SECONDS_MAX = 86_400
/** The origin of the site that a visitor came from. */
export const REFERRER_MAX = 300

/** Bytes of a file before it is re-encoded. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024
/** Width times height of an image, in a message and in a post. */
export const IMAGE_PIXELS_MAX = 40_000_000
/** Pixels of the longer side of such an image, as many as a JPEG can have. */
export const IMAGE_SIDE_MAX = 65_535
/** Code points of a file's name. */
export const ATTACHMENT_NAME_MAX = 120
/** Files of one message. */
export const ATTACHMENTS_MAX = 5
/** Files of one conversation. */
export const CONVERSATION_ATTACHMENTS_MAX = 50
/** Bytes of all stored files of one conversation. */
export const CONVERSATION_ATTACHMENTS_BYTES_MAX = 100 * 1024 * 1024
/** How long a file waits for its message. */
export const UNSENT_ATTACHMENT_MS = 24 * 60 * 60 * 1_000
/** The words of a rating. */
export const RATING_WORDS_MAX = 1_000
/** How long a visitor may be blocked. */
export const BLOCK_HOURS_MAX = 8_760
/** The away words and the greeting. */
export const SETTINGS_TEXT_MAX = 1_000
export const CARDS_MAX = 10
/** The text of a card, which may cover a quarter of a small screen at most. */
export const CARD_TEXT_MAX = 160
/** The seconds after which a card is shown. */
export const CARD_SECONDS_MAX = 3_600
export const QUICK_REPLY_MAX = 80

/** Days of a report, and conversations of a page behind a figure. */
export const REPORT_DAYS_MAX = 400
export const REPORT_PAGE_MAX = 100
export const REPORT_PAGE_DEFAULT = 50
/** A longer wait is a slow one. */
export const SLOW_WAIT_MS = 15 * 60 * 1_000
/** Waiting conversations that are named; all are counted. */
export const NOW_WAITING_MAX = 50

/** The pages that the chat suggests while a visitor types. */
export const SUGGESTED_PATH_PATTERN = '^/(faq#|blog/)[a-z0-9-]+$'
export const SUGGESTED_PATH_MAX = 200

/** The code points of a search query. */
export const SEARCH_QUERY_MAX = 200
export const SEARCH_LIMIT_DEFAULT = 20
export const SEARCH_LIMIT_MAX = 50

/** Bytes of one Socket.IO frame. Larger commands go over REST. */
export const FRAME_BYTES_MAX = 16 * 1024
/** Bytes of a JSON body. */
export const BODY_BYTES_MAX = 64 * 1024

export const USER_NAME_MAX = 64
/** The name of an admin that visitors see. */
export const DISPLAY_NAME_MAX = 80
/** How long an invitation is good. */
export const INVITE_HOURS = 72
/** Admins of one store, disabled and invited ones included. */
export const TEAM_MAX = 100
/** Recovery codes that an account gets at once. */
export const RECOVERY_CODES = 10
/** Passkeys of one account. */
export const PASSKEYS_MAX = 10
/** What an admin calls a passkey. */
export const PASSKEY_NAME_MAX = 80
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 128

export const PAGE_NUMBER_MAX = 1_000_000
export const PER_PAGE_DEFAULT = 15
export const CONTACTS_PER_PAGE_DEFAULT = 100
export const PER_PAGE_MAX = 100

/** Lowercase words separated by single hyphens; no digits. */
export const SLUG_PATTERN = '^[a-z]+(?:-[a-z]+)*$'
export const SLUG_MAX = 120
export const BLOG_TITLE_MAX = 200
export const BLOG_SUMMARY_MAX = 500
/** Code points of the description of an image. */
export const IMAGE_ALT_MAX = 300
/** Bytes of a post's HTML, without its images, which are uploads. */
export const BLOG_CONTENT_BYTES_MAX = 512 * 1024
/** Slugs of the articles that ship with the site: no post may take them. */
export const ARTICLE_SLUGS = [
  'title-of-the-blog',
  'can-you-cheat-on-proctoru-understanding-the-proctoru-experience-your-questions-answered',
  'how-to-cheat-on-proctoru',
  'can-proctoru-detect-phones',
  'can-proctoru-see-my-screen',
] as const

/** Bytes of an uploaded image. */
export const UPLOAD_BYTES_MAX = 10 * 1024 * 1024
export const UPLOAD_EXTENSIONS = ['.jpg', '.png', '.jpeg', '.svg', '.webp'] as const
/** Widths in pixels. The server also stores a wider raster image in these widths, as `{hash}-{width}.webp`. */
export const UPLOAD_WIDTHS = [480, 960, 1600] as const

export const REVIEW_NAME_MAX = 80
export const REVIEW_TIME_MAX = 80
export const REVIEW_TEXT_MAX = 2_000
export const STAR_MIN = 1
export const STAR_MAX = 5
export const EMAIL_MAX = 254
const EMAIL_SIGN = '[^\\s@\\p{C}<>()\\[\\]\\\\,;:"'
/** Matches email addresses in any script; for `new RegExp(EMAIL_PATTERN, 'u')`. Linear. */
export const EMAIL_PATTERN = `^${EMAIL_SIGN}]{1,64}@${EMAIL_SIGN}.]+(?:\\.${EMAIL_SIGN}.]+)+$`
export const CONTACT_TITLE_MAX = 200
export const CONTACT_MESSAGE_MAX = 5_000

/** The name of a canned reply, unique among them. */
export const SHORTCUT_PATTERN = '^[a-z0-9][a-z0-9-]{0,39}$'
/** The text of a canned reply, with its variables unfilled. */
export const REPLY_TEXT_MAX = MESSAGE_MAX
/** Canned replies of a store: their list has no pages. */
export const REPLIES_MAX = 1_000

/** Without an acknowledgement for this long, the nonce is sent over REST and the socket is replaced. */
export const ACK_TIMEOUT_MS = 5_000
/** A socket that cannot connect for this long is replaced by polling. */
export const CONNECT_TIMEOUT_MS = 5_000
/** Sync also runs this often on a connected socket. */
export const SYNC_INTERVAL_MS = 30_000
/** Facts of two nodes may arrive out of order: wait this long before syncing a gap. */
export const GAP_WAIT_MS = 300
/** An admin receives at most one unread fact per conversation in this time. */
export const UNREAD_THROTTLE_MS = 200
/** An admin is told at most once in this time that `GET /reports/now` has changed. */
export const NOW_THROTTLE_MS = 2_000
/** A typing indicator expires this long after the last fact. */
export const TYPING_TTL_MS = 6_000

/** Characters of the address of a browser's push subscription. */
export const PUSH_ENDPOINT_MAX = 2_048
/** The name of a device that receives notifications. */
export const PUSH_LABEL_MAX = 80
/** Devices of an admin that receive notifications. */
export const PUSH_DEVICES_MAX = 20

/** Sites of a store: their list has no pages. */
export const SITES_MAX = 50
export const SITE_NAME_MAX = 80
/** Origins of one site. */
export const SITE_ORIGINS_MAX = 20
/** What a test of a site takes as the origin of a page. */
export const SITE_TEST_ORIGIN_MAX = 320
/** Pixels between the launcher and an edge. */
export const SITE_OFFSET_MAX = 200
/** The words on a launcher. */
export const SITE_LABEL_MAX = 24
/** Secrets of one site: a new one is in use before the old one goes. */
export const SITE_SECRETS_MAX = 2
/** What a site calls a signed visitor. */
export const SUB_MAX = 200
/** The text of a secret: 32 random bytes in base64url behind its prefix. */
export const SITE_SECRET_PATTERN = '^pps_[A-Za-z0-9_-]{43}$'
/** The name of an API key or of an endpoint. */
export const INTEGRATION_NAME_MAX = 80
/** API keys of a store. */
export const KEYS_MAX = 50
/** Endpoints of a store. */
export const ENDPOINTS_MAX = 20
/** Characters of the URL of an endpoint. */
export const ENDPOINT_URL_MAX = 2_048
/** Bytes of an endpoint's answer that are read and shown. */
export const ENDPOINT_ANSWER_MAX = 1_024
/** What each API key begins with. */
export const KEY_PREFIX = 'ppk_'

/** Entries of one page of the audit log. */
export const AUDIT_PAGE_MAX = 200
