/** Every limit that client and server share. Sizes are in code points unless the comment says otherwise. */

/** The longest message, after trimming. */
export const MESSAGE_MAX = 4_000

/** The longest quotes and signature in a message that came by mail. */
export const QUOTED_MAX = 4_000

/** The most files that a mail's message names as left out. One more entry says how many are not named there. */
export const LEFT_OUT_MAX = 10
export const LEFT_OUT_NAME_MAX = 80

/** The length of a visitor's client ID, from `crypto.getRandomValues`. The ID identifies the conversation. */
export const CLIENT_ID_LENGTH = 20
export const CLIENT_ID_PATTERN = '^[A-Za-z0-9]{20}$'

/** The number of bytes in a visitor key, from `crypto.getRandomValues`. The key is a conversation's credential. */
export const VISITOR_KEY_BYTES = 32
/** Matches a visitor key in base64url without padding. */
export const VISITOR_KEY_PATTERN = '^[A-Za-z0-9_-]{43}$'
/** The most keys for one conversation, with one key for each device. */
export const VISITOR_KEYS_MAX = 20

/** Matches a message's nonce, the name that a browser gives it. The store keeps one message per nonce. */
export const NONCE_PATTERN = '^[A-Za-z0-9_-]{8,64}$'

/** Matches a card's ID, as the dashboard or a program makes it. */
export const CARD_ID_PATTERN = '^[A-Za-z0-9_-]{1,40}$'

/** Matches the IDs of both stores. */
export const ID_PATTERN = '^[0-9a-f]{24}$'

export const PAGE_LIMIT_DEFAULT = 200
export const PAGE_LIMIT_MAX = 200
/** The most bytes in the JSON of one page of messages or conversations. A longer page ends there, with `more`. */
export const PAGE_BYTES_MAX = 256 * 1024
/** How many code points of a conversation's newest message the conversation list shows. */
export const SUMMARY_TEXT_MAX = 280
export const CONVERSATIONS_LIMIT_DEFAULT = 200
export const CONVERSATIONS_LIMIT_MAX = 500

/** The longest label, after trimming. */
export const LABEL_MAX = 40
/** The most labels on one conversation. */
export const LABELS_MAX = 20
/** The longest note, after trimming. */
export const NOTE_MAX = 4_000
/** The most conversations in one bulk change. */
export const BULK_MAX = 100
/** The most updates that the bell lists. */
export const UPDATES_MAX = 50
/** The bell does not list a mention or an assignment older than this. */
export const UPDATES_AGE_MS = 30 * 24 * 60 * 60 * 1_000
/** The most characters in an update's text. */
export const UPDATE_TEXT_MAX = 200
/** An admin can correct a message for this time after it was stored. */
export const EDIT_MS = 15 * 60 * 1_000
export const SNOOZE_MAX_MS = 90 * 24 * 60 * 60 * 1_000
/** How far ahead a message can be scheduled. */
export const SCHEDULE_MAX_MS = 90 * 24 * 60 * 60 * 1_000
/** The most scheduled messages that wait in one conversation. */
export const SCHEDULED_MAX = 10
/** An exam nearer than this is soon. */
export const EXAM_SOON_MS = 24 * 60 * 60 * 1_000
/** How far from now an exam may be, in either direction: two years. */
export const EXAM_SPAN_MS = 2 * 366 * 24 * 60 * 60 * 1_000
/** The longest name that a visitor may give. */
export const PROFILE_NAME_MAX = 80
/** The longest language tag, such as `zh-Hant-TW`. */
export const LOCALE_MAX = 35
/** The canonical tag of a widget's language, such as `pt-BR`: a language, and perhaps a script and a region. */
export const LANGUAGE_TAG_PATTERN = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'
export const LANGUAGES_MAX = 50
export const LANGUAGE_FILE_BYTES_MAX = 64 * 1024
/** The longest text in a language file, in code points. */
export const LANGUAGE_TEXT_MAX = 1_000
/** The longest time zone name that is accepted. The longest IANA name has 32 characters. */
export const TIME_ZONE_MAX = 64
/** The longest path of the page that a visitor is on. */
export const PAGE_PATH_MAX = 300
export const PAGE_TITLE_MAX = 80
/** How many of a visitor's pages are kept. The newest ones stay. */
export const PAGES_KEPT = 20
/** A page that stays open longer than a day counts as a day. */
export const PAGE_SECONDS_MAX = 86_400
/** The longest origin of the site that a visitor came from. */
export const REFERRER_MAX = 300

/** The most bytes in a file before it is re-encoded. */
export const ATTACHMENT_BYTES_MAX = 10 * 1024 * 1024
/** The most pixels, width times height, in an image in a message or a post. */
export const IMAGE_PIXELS_MAX = 40_000_000
/** The most pixels on such an image's longer side, which is a JPEG's maximum. */
export const IMAGE_SIDE_MAX = 65_535
/** The most code points in a file's name. */
export const ATTACHMENT_NAME_MAX = 120
/** The most files in one message. */
export const ATTACHMENTS_MAX = 5
/** The most files in one conversation. */
export const CONVERSATION_ATTACHMENTS_MAX = 50
/** The most bytes in all of one conversation's stored files. */
export const CONVERSATION_ATTACHMENTS_BYTES_MAX = 100 * 1024 * 1024
/** How long a file waits for its message. */
export const UNSENT_ATTACHMENT_MS = 24 * 60 * 60 * 1_000
/** The longest words in a rating. */
export const RATING_WORDS_MAX = 1_000
/** The days after which spam is erased, counted from the later of its mark and its newest message. */
export const SPAM_DAYS = 30
/** The longest time for which a visitor may be blocked. */
export const BLOCK_HOURS_MAX = 8_760
/** The longest away message or greeting. */
export const SETTINGS_TEXT_MAX = 1_000
export const CARDS_MAX = 10
/** The longest text on a card, which may cover at most a quarter of a small screen. */
export const CARD_TEXT_MAX = 160
/** The most seconds after which a card is shown. */
export const CARD_SECONDS_MAX = 3_600
export const QUICK_REPLY_MAX = 80

/** The most days in a report, and the most conversations on a page behind a figure. */
export const REPORT_DAYS_MAX = 400
export const REPORT_PAGE_MAX = 100
export const REPORT_PAGE_DEFAULT = 50
/** A longer wait than this is slow. */
export const SLOW_WAIT_MS = 15 * 60 * 1_000
/** How many waiting conversations are named. All of them are counted. */
export const NOW_WAITING_MAX = 50

/** Matches the pages that the chat suggests while a visitor types. Paths are counted without `?lang=`. */
export const SUGGESTED_PATH_PATTERN =
  '^/(faq(\\?lang=[A-Za-z0-9-]{1,35})?#[a-z0-9-]+|blog/[a-z0-9-]+(\\?lang=[A-Za-z0-9-]{1,35})?)$'
export const SUGGESTED_PATH_MAX = 200

/** The most code points in a search query. */
export const SEARCH_QUERY_MAX = 200
export const SEARCH_LIMIT_DEFAULT = 20
export const SEARCH_LIMIT_MAX = 50
/** The most saved searches of one admin. Their list has no pages. */
export const SAVED_SEARCHES_MAX = 20
export const SAVED_SEARCH_NAME_MAX = 60
/** The most characters of a saved search's parameters, in which one character of a word may take twelve. */
export const SAVED_SEARCH_QUERY_MAX = 4_000
/** How many results of a saved search are counted. */
export const SAVED_SEARCH_COUNT_MAX = 50

/** The most bytes in one Socket.IO frame. Larger commands go over REST. */
export const FRAME_BYTES_MAX = 16 * 1024
/** The most bytes in a JSON body. */
export const BODY_BYTES_MAX = 64 * 1024

export const USER_NAME_MAX = 64
/** The longest admin name that visitors see. */
export const DISPLAY_NAME_MAX = 80
/** The number of hours for which an invitation is valid. */
export const INVITE_HOURS = 72
/** The most admins in one store, including disabled and invited ones. */
export const TEAM_MAX = 100
/** How many admins on duty visitors see. */
export const TEAM_SHOWN_MAX = 3
/** The width and the height of an admin's picture, in pixels. */
export const FACE_SIDE = 256
/** How many recovery codes an account gets at once. */
export const RECOVERY_CODES = 10
/** The most passkeys for one account. */
export const PASSKEYS_MAX = 10
/** The longest name that an admin gives a passkey. */
export const PASSKEY_NAME_MAX = 80
export const PASSWORD_MIN = 12
export const PASSWORD_MAX = 128

export const PAGE_NUMBER_MAX = 1_000_000
export const PER_PAGE_DEFAULT = 15
export const CONTACTS_PER_PAGE_DEFAULT = 100
export const PER_PAGE_MAX = 100

/** Matches lowercase words separated by single hyphens, without digits. */
export const SLUG_PATTERN = '^[a-z]+(?:-[a-z]+)*$'
export const SLUG_MAX = 120
export const BLOG_TITLE_MAX = 200
export const BLOG_SUMMARY_MAX = 500
/** How far ahead a post can be scheduled. */
export const POST_AHEAD_DAYS = 730
/** How long a link to a post's preview works. */
export const PREVIEW_DAYS = 7
/** The words of a post that are read in a minute. */
export const WORDS_PER_MINUTE = 200
/** The most code points in an image's description. */
export const IMAGE_ALT_MAX = 300
/** The most bytes in a post's HTML, without its images, which are uploads. */
export const BLOG_CONTENT_BYTES_MAX = 512 * 1024
/** How many versions of a text or a post are kept, the newest included. */
export const VERSIONS_KEPT = 20
export const FAQ_QUESTIONS_MAX = 200
/** The most bytes in all answers of a language together. */
export const FAQ_CONTENT_BYTES_MAX = 512 * 1024
export const FAQ_GROUPS_MAX = 20
/** Matches the IDs of questions and their groups, which are their anchors on the page. */
export const ANCHOR_PATTERN = '^[a-z0-9-]{1,120}$'
/** The slugs of the articles that ship with the site. No post may take them. */
export const ARTICLE_SLUGS = [
  'title-of-the-blog',
  'can-you-cheat-on-proctoru-understanding-the-proctoru-experience-your-questions-answered',
  'how-to-cheat-on-proctoru',
  'can-proctoru-detect-phones',
  'can-proctoru-see-my-screen',
] as const

/** The most bytes in an uploaded image. */
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
/** Matches email addresses in any script, in linear time. Use it with `new RegExp(EMAIL_PATTERN, 'u')`. */
export const EMAIL_PATTERN = `^${EMAIL_SIGN}]{1,64}@${EMAIL_SIGN}.]+(?:\\.${EMAIL_SIGN}.]+)+$`
export const CONTACT_TITLE_MAX = 200
export const CONTACT_MESSAGE_MAX = 5_000

/** Matches a canned reply's name, which is unique among them. */
export const SHORTCUT_PATTERN = '^[a-z0-9][a-z0-9-]{0,39}$'
/** The longest text in a canned reply, with its variables unfilled. */
export const REPLY_TEXT_MAX = MESSAGE_MAX
/** The most canned replies in a store. Their list has no pages. */
export const REPLIES_MAX = 1_000

/** After this long without an acknowledgement, the nonce is sent over REST and the socket is replaced. */
export const ACK_TIMEOUT_MS = 5_000
/** After this long without connecting, the socket is replaced by polling. */
export const CONNECT_TIMEOUT_MS = 5_000
/** How often a connected socket also syncs. */
export const SYNC_INTERVAL_MS = 30_000
/** How long to wait before syncing a gap, because facts from two nodes may arrive out of order. */
export const GAP_WAIT_MS = 300
/** An admin receives at most one unread fact per conversation in this time. */
export const UNREAD_THROTTLE_MS = 200
/** An admin is notified at most once in this time that the answer of `GET /reports/now` has changed. */
export const NOW_THROTTLE_MS = 2_000
/** A typing indicator expires this long after the last fact. */
export const TYPING_TTL_MS = 6_000

/** The most characters in the address of a browser's push subscription. */
export const PUSH_ENDPOINT_MAX = 2_048
/** The longest name for a device that receives notifications. */
export const PUSH_LABEL_MAX = 80
/** The most devices on which an admin receives notifications. */
export const PUSH_DEVICES_MAX = 20

/** The most sites in a store. Their list has no pages. */
export const SITES_MAX = 50
export const SITE_NAME_MAX = 80
/** The longest name that a site's visitors see, as long as the longest brand. */
export const SITE_DISPLAY_NAME_MAX = 60
/** The most origins for one site. */
export const SITE_ORIGINS_MAX = 20
/** The longest page origin that a site's test accepts. */
export const SITE_TEST_ORIGIN_MAX = 320
/** The most pixels between the launcher and an edge. */
export const SITE_OFFSET_MAX = 200
/** The longest words on a launcher. */
export const SITE_LABEL_MAX = 24
/** The most secrets for one site, so that a new one can be in use before the old one is removed. */
export const SITE_SECRETS_MAX = 2
/** The longest name that a site gives a signed visitor. */
export const SUB_MAX = 200
/** Matches a secret's text: its prefix, then 32 random bytes in base64url. */
export const SITE_SECRET_PATTERN = '^pps_[A-Za-z0-9_-]{43}$'
/** The longest name for an API key or an endpoint. */
export const INTEGRATION_NAME_MAX = 80
/** The most API keys in a store. */
export const KEYS_MAX = 50
/** The most endpoints in a store. */
export const ENDPOINTS_MAX = 20
/** The most characters in an endpoint's URL. */
export const ENDPOINT_URL_MAX = 2_048
/** How many bytes of an endpoint's answer are read and shown. */
export const ENDPOINT_ANSWER_MAX = 1_024
/** The beginning of each API key. */
export const KEY_PREFIX = 'ppk_'

/** The most entries on one page of the audit log. */
export const AUDIT_PAGE_MAX = 200
