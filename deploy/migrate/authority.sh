#!/bin/sh
# Makes an authority of your own and a certificate of it for one host name, for clients that know no other address:  authority.sh NAME [FOLDER]
#
# FOLDER gets ca.pem (give it to the clients), ca.key (keep it), server.pem and server.key (give them to `moviola serve`). docs/migrate.md
# tells the rest. An authority that is there already is used again.
set -eu
name=$1
folder=${2:-.}
umask 077
mkdir -p "$folder"
cd "$folder"
if [ ! -e ca.key ]; then
	openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=Authority for $name" -keyout ca.key -out ca.pem
fi
openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout server.key -out server.csr
printf 'subjectAltName=DNS:%s\n' "$name" >server.ext
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile server.ext -out server.pem
rm server.csr server.ext
