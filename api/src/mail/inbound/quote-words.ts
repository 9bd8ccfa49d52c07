/**
 * The words of mail programs. No list of languages is complete, so structure decides, and these words help where
 * structure leaves doubt.
 */

/** Words for "wrote" in the line before a quote. */
export const WROTE =
  /wrote|writes|schrieb|écrit|escribi|scritto|escreveu|schreef|geschreven|skrev|kirjoitti|pisze|napisał|napsal|napísal|napisao|napisala|пише|написа|напиша|написал|写道|寫道|来信|來信|작성|メッセージ|書き|yazdı|كتب|كتابة|כתב|viết|írta|a scris|έγραψε|เขียน|menulis|rašė|rakstīja|kirjutas|va escriure|लिखा|نوشت/iu

/** Words in a separator before the mail that is answered. */
export const ORIGINAL =
  /original|replied|ursprüngliche|opprinnelig|oprindelig|ursprungligt|alkuperäinen|oryginalna|wiadomość oryginalna|původní|pôvodná|eredeti|origine|originale|mesaj original|orijinal|исходное|оригинал|первоначальное|оригінал|原始|原邮件|原文|元のメッセージ|원본|الأصلية|מקורית|gốc|αρχικό|ต้นฉบับ|reply message|回复的原邮件/iu

/** Words in a line before a forwarded mail. */
export const FORWARDED =
  /forwarded (?:message|email|by)|begin forwarded|weitergeleitete|transféré|réexpédié|reenviado|inoltrato|encaminhada|reencaminhada|doorgestuurd|videresendt|vidarebefordra|vidaresän|välitetty|przekazan|przesłan|przeposlan|přeposlan|preposlan|iletilen|yönlendirilen|пересылаем|пересланн|перенаправлен|переслан|转发|轉寄|轉發|転送|전달|chuyển tiếp|שהועברה|מועברת|محولة|معاد توجيه|továbbított|redirecționat|προωθημένο|ส่งต่อ|diteruskan|препратено/iu

/** Prefixes of a forwarded mail's subject. */
export const FORWARD_PREFIX =
  /^(?:fwd?|wg|tr|rv|enc|i|doorst|fs|vs|vb|vl|pd|ilt|i̇lt|fw|转发|轉寄|轉發|転送|전달|пересл|прдж|chuyển tiếp|fwd|הועבר|إعادة توجيه|továbbítás|προώθ|ส่งต่อ)\s?(?:\[\d{1,3}\])?[:：]/iu

/** Names of the header that says who wrote a mail. */
export const FROM =
  /^(?:from|von|de|da|van|fra|från|od|от|від|发件人|發件人|寄件者|寄件人|差出人|送信者|보낸 ?사람|보낸이|gönderen|kimden|من|מאת|từ|người gửi|lähettäjä|feladó|expéditeur|remitente|remetente|mittente|afzender|nadawca|odesílatel|odosielateľ|expeditor|από|จาก|dari|pengirim|no|kam|saatja|nuo|от кого|від кого)$/iu

/** Names of the header that says what a mail is about. */
export const SUBJECT =
  /^(?:subject|betreff|betrifft|objet|asunto|oggetto|assunto|onderwerp|emne|ämne|aihe|temat|předmět|predmet|тема|主题|主題|主旨|件名|제목|konu|الموضوع|נושא|chủ đề|tiêu đề|tárgy|subiect|θέμα|เรื่อง|subjek|perihal|teema|tema|assumpte)$/iu

/** Matches a line that begins a signature: a separator, a phone's or mail program's line, or a closing. */
export const SIGNATURE: readonly RegExp[] = [
  /^\s*(?:-{2,4}|_{2,4}|_{32}|\+{2,4}|={2,4})\s*$/,
  /^.{0,40}Outlook.{0,40}https:\/\/aka\.ms\//iu,
  /^(?:Sent from|Sent with|Get Outlook for|Sent via) \S/i,
  /^(?:Cheers|Best wishes),?!?$/i,
  /^(?:\w{0,20} ?|\w{1,20} and )Regards,?[!！]?$/i,
  /^(?:Gesendet (?:von|mit|über)|Von meinem|Diese Nachricht wurde von meinem) \S.*$/i,
  /^Von .{1,60} gesendet\.?$/i,
  /^(?:Envoyé (?:depuis|de mon|à partir de)|Télécharger Outlook pour|Obtenez Outlook pour) \S/i,
  /^Bien . vous,?!?$/i,
  /^(?:\w{1,20} )?cordialement,?!?$/i,
  /^Bonne (?:journ.e|soir.e)!?$/i,
  /^(?:Enviado (?:desde|do|a partir|por)|Obtener Outlook para|Obter o Outlook para) \S/i,
  /^(?:Inviato da|Ottieni Outlook per|Scarica Outlook per) \S/i,
  /^(?:Verzonden|Verstuurd) (?:vanaf|met|via) \S/i,
  /^(?:Sendt fra|Skickat från|Hämta Outlook för|Hent Outlook til|Lähetetty) \S/i,
  /^(?:Wysłane z|Wysłano z|Odesláno z|Odoslané z|Trimis de pe|Poslano z) \S/i,
  /^(?:Отправлено (?:с|из)|Надіслано з) \S/i,
  /^(?:发自我的|發自我的|来自我的|從我的|从我的|发自|傳送自|寄自).{1,40}$/,
  /^.{1,30}から(?:送信|のメール)$/,
  /^(?:나의 )?.{1,30}에서 (?:보냄|보낸 메일)\.?$/,
  /^.{1,40}(?:'dan|'den|umdan|imden|ndan) gönderildi\.?$/iu,
  /^(?:Được gửi từ|Đã gửi từ) \S/i,
  /^נשלח מה\S/,
  /^(?:أرسلت|أُرسلت|مرسل) من \S/,
]
