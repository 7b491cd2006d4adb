# Registers a name with Net::EPP: PORT FOLDER CLIENT PASSWORD CONTACT NAME. The folder has cert, key, ca and the frame
# that creates the name, whose .au extension Net::EPP does not know.
use strict;
use warnings;
use Net::EPP::Client;
use Net::EPP::Frame;

my ($port, $folder, $client, $password, $contact, $name) = @ARGV;
my $epp = Net::EPP::Client->new(host => '127.0.0.1', port => $port, ssl => 1, frames => 1);
my $greeting = $epp->connect(
    SSL_cert_file => "$folder/cert",
    SSL_key_file => "$folder/key",
    SSL_ca_file => "$folder/ca",
    SSL_verify_mode => 1,
);
print 'greeting ', $greeting->getElementsByTagName('svID')->shift->textContent, "\n";

my $count = 0;

sub ask {
    my ($frame) = @_;
    $count += 1;
    $frame->clTRID->appendText("NET-EPP-$count") if ref($frame) && $frame->can('clTRID');
    return $epp->request($frame);
}

sub code { return shift->getElementsByTagName('result')->shift->getAttribute('code') }
sub text { return shift->getElementsByTagName(shift)->shift->textContent }

my $login = Net::EPP::Frame::Command::Login->new;
$login->clID->appendText($client);
$login->pw->appendText($password);
$login->version->appendText('1.0');
$login->lang->appendText('en');
for my $uri ('urn:ietf:params:xml:ns:domain-1.0', 'urn:ietf:params:xml:ns:contact-1.0') {
    my $object = $login->createElement('objURI');
    $object->appendText($uri);
    $login->svcs->appendChild($object);
}
print 'login ', code(ask($login)), "\n";

my $check = Net::EPP::Frame::Command::Check::Domain->new;
$check->addDomain($name);
print 'check ', ask($check)->getElementsByTagName('domain:name')->shift->getAttribute('avail'), "\n";

my $person = Net::EPP::Frame::Command::Create::Contact->new;
$person->setContact($contact);
$person->addPostalInfo('loc', 'Ann Smith', 'Smith Pty Ltd',
    { street => ['1 George St'], city => 'Sydney', sp => 'NSW', pc => '2000', cc => 'AU' });
$person->setVoice('+61.299990000');
$person->setEmail('ann@example.com');
$person->setAuthInfo('secret-1-contact');
print 'contact ', code(ask($person)), "\n";

open(my $file, '<:encoding(UTF-8)', "$folder/create.xml") or die $!;
my $create = do { local $/; <$file> };
print 'create ', code(ask($create)), "\n";
print 'again ', code(ask($create)), "\n";

my $info = Net::EPP::Frame::Command::Info::Domain->new;
$info->setDomain($name);
my $found = ask($info);
print 'info ', text($found, 'domain:clID'), ' ', text($found, 'domain:registrant'), "\n";
print 'logout ', code(ask(Net::EPP::Frame::Command::Logout->new)), "\n";
