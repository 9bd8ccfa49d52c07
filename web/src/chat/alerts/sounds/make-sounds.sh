#!/bin/sh
# Makes the two chimes beside this script; needs sox and ffmpeg, only when they are to sound different.
# A note is a sine with its octave, mixed, that fades out like a struck bar. "message": two notes upwards; "unread":
# one, lower.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

note() { # file, pitch in Hz, seconds
  octave=$(awk "BEGIN { print $2 * 2 }")
  sox -n -r 16000 -c 1 "$work/$1.wav" synth "$3" sine "$2" synth "$3" sine mix "$octave" fade l 0.006 "$3" "$3" gain -12
}
encode() { # file
  sox "$work/$1.wav" "$work/$1-even.wav" lowpass 4000 norm -9
  ffmpeg -v error -y -i "$work/$1-even.wav" -ac 1 -b:a 16k -map_metadata -1 -write_xing 0 -id3v2_version 0 "$1.mp3"
}

note low 659.25 0.5
note high 987.77 0.6
sox "$work/high.wav" "$work/late.wav" pad 0.13
sox -m "$work/low.wav" "$work/late.wav" "$work/message.wav"
encode message

note unread 587.33 0.7
encode unread
